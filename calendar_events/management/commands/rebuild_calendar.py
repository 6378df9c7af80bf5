"""Make fragments, search texts and their table, link copies and counters again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from calendar_events.store import rebuilding


class Command(BaseCommand):
    """For a change of ``TIME_ZONE``, ``CURRENCY`` or of the documents, and bulk loads."""

    help = (
        "Render every record of the calendar again and recount it. Needed after TIME_ZONE "
        "or CURRENCY changed, after an update that says so, and after loading rows in bulk."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild everything."""
        done = rebuilding.rebuild()
        if options["verbosity"] > 0:
            self.stdout.write(f"{done} records rendered and counted.")
