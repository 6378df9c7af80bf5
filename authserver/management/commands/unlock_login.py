"""Lift a lock on logins."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from authserver.accounts import login_limits

BY = "manage.py"


class Command(BaseCommand):
    """Lift the lock of an account; it is audited."""

    help = "Lift the lock of an account, such as alice@1001."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="a login, such as alice@1001")

    def handle(self, *args: Any, **options: Any) -> None:
        """Lift it, and say how many failures there were."""
        failures = login_limits.lift_account(options["account"], by=BY)
        if options["verbosity"] > 0:
            self.stdout.write(f"Failures removed: {failures}")
