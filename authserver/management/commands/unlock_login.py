"""Lift a lock on logins."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from authserver.accounts import login_limits

BY = "manage.py"


class Command(BaseCommand):
    """Lift the lock of an account, or of everybody at an address; it is audited."""

    help = "Lift the lock of an account (alice@1001), or with --address of an address."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("account", nargs="?", help="a login, such as alice@1001")
        what.add_argument("--address", help="an IPv6 address: with its network of /64")

    def handle(self, *args: Any, **options: Any) -> None:
        """Lift it, and say how many failures there were."""
        if options["address"] is None:
            failures = login_limits.lift_account(options["account"], by=BY)
        else:
            try:
                failures = login_limits.lift_address(options["address"], by=BY)
            except ValueError as error:
                raise CommandError(f"{options['address']} is no address.") from error
        if options["verbosity"] > 0:
            self.stdout.write(f"Failures removed: {failures}")
