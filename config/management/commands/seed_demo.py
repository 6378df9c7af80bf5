"""Put the demonstration's fixed cast into the database (decisions 8)."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

import calendar_events.demo.seeding
import config.demo.cast
from calendar_events.management import progress


class Command(BaseCommand):
    """Institutions, users, service keys and two months of events.

    Run again it moves the demo events to the coming days and touches nothing else.
    """

    help = "Create the demo institutions, accounts, service keys and events."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--force",
            action="store_true",
            help="also on a server that does not run with DEMO=1",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed both apps. Raises ``CommandError`` unless DEMO is on."""
        if not (settings.DEMO or options["force"]):
            raise CommandError(
                "This makes accounts with published passwords. Set DEMO=1, or pass --force."
            )
        now = timezone.now()
        with progress.shown(
            "seed_demo", unit="events", verbosity=options["verbosity"]
        ) as work:
            work.going_on = "none of them is kept, run it again"
            users = config.demo.cast.seed(now)
            calendar_events.demo.seeding.seed(
                users={username: user.pk for username, user in users.items()},
                now=now,
                advance=work.advance,
            )
        if options["verbosity"] > 0:
            self.stdout.write("Demo data is in place.")
