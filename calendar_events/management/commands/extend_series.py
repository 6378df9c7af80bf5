"""Give events that repeat their occurrences as far as the horizon."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from calendar_events.services import series


class Command(BaseCommand):
    """Run it every night; each series is a transaction, and a second run does nothing."""

    help = "Add the occurrences of series as far as SERIES_HORIZON_MONTHS ahead."

    def handle(self, *args: Any, **options: Any) -> None:
        """Extend every series whose dates end before the horizon."""
        number = series.extend_all(now=timezone.now())
        if options["verbosity"] > 0:
            self.stdout.write(f"{number} occurrences added")
