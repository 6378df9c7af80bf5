"""Make fragments, search texts and their table, link copies and counters again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from calendar_events.management import progress
from calendar_events.store import rebuilding


class Command(BaseCommand):
    """For a change of ``TIME_ZONE``, ``CURRENCY`` or of the documents, and bulk loads."""

    help = (
        "Render every record of the calendar again and recount it. Needed after TIME_ZONE "
        "or CURRENCY changed, after an update that says so, and after loading rows in bulk."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--after",
            metavar="event:1500",
            help="go on where an earlier run was stopped, which said where",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild everything, or what is left after a place."""
        try:
            after = rebuilding.Place.parse(options["after"]) if options["after"] else None
        except ValueError as error:
            raise CommandError(f"--after {error}") from error
        with progress.shown(
            "rebuild_calendar",
            unit="records",
            total=rebuilding.number_of_records(after=after),
            verbosity=options["verbosity"],
        ) as work:

            def advance(number: int, place: rebuilding.Place) -> None:
                work.advance(number, going_on=f"rebuild_calendar --after {place} goes on")

            rebuilding.rebuild(after=after, advance=advance)
        if options["verbosity"] > 0:
            self.stdout.write(f"{work.done} records rendered and counted.")
