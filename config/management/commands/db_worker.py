"""Do background work, in place of the command of this name in ``django_tasks_db``.

That one leaves the tasks of a killed worker as running, tries nothing twice, and ends when
the database is restarted.
"""

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.background.worker import Worker


class Command(BaseCommand):
    """Run tasks until SIGTERM or SIGINT; the one that runs then is finished first."""

    help = "Run background tasks until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--batch", action="store_true", help="end when no task is ready"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the worker; with ``--batch``, propagate ``DatabaseError``."""
        worker = Worker()
        if options["batch"]:
            worker.run_once()
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        worker.run()
