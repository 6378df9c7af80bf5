"""Delete what has expired."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from authserver import retention


class Command(BaseCommand):
    """Forget expired requests, codes, tokens, consents, sessions, and old audit events.

    Run it every hour or so; it deletes in batches and may run beside a busy server.
    """

    help = "Delete expired requests, codes, tokens, consents, sessions and audit events."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--batch-size", type=int, default=retention.BATCH_SIZE)

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete in batches and print the counts; stopped and run again, do the rest."""
        batch_size = max(1, options["batch_size"])
        counts = retention.clear(retention.agreed_now(), batch_size=batch_size)
        if options["verbosity"] > 0:
            for name, count in counts.items():
                self.stdout.write(f"{count} {name}")
