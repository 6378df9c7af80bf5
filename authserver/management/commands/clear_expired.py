"""Delete what has expired."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from authserver import retention
from platform_errors.management import progress


class Command(BaseCommand):
    """Forget expired requests, codes, tokens, consents, sessions, and old audit events.

    Run it every hour or so; it deletes in batches and may run beside a busy server.
    """

    help = "Delete expired requests, codes, tokens, consents, sessions and audit events."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--batch-size", type=int, default=retention.BATCH_SIZE)

    def handle(self, *args: Any, **options: Any) -> None:
        """Clear, and say what was cleared; interrupted and run again, it does the rest."""
        with progress.shown(
            "clear_expired", unit="rows", verbosity=options["verbosity"]
        ) as work:
            counts = retention.clear(
                retention.agreed_now(),
                batch_size=max(1, options["batch_size"]),
                advance=work.advance,
            )
        if options["verbosity"] > 0:
            for name, count in counts.items():
                self.stdout.write(f"{count} {name}")
