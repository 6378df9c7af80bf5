"""Do background work, in place of the command of this name in ``django_tasks_db``.

That one leaves the tasks of a killed worker as running, tries nothing twice, and ends when
the database is restarted.
"""

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.background.webhooks import WebhookLoop
from config.background.worker import Worker


class Command(BaseCommand):
    """Run tasks and send webhooks until SIGTERM or SIGINT; what is begun is finished."""

    help = "Run background tasks and send webhooks until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--batch", action="store_true", help="end when nothing is to be done"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the worker; with ``--batch``, propagate ``DatabaseError``."""
        worker, webhooks = Worker(), WebhookLoop()
        if options["batch"]:
            worker.run_once()
            webhooks.run_once()
            return

        def stop(*_: Any) -> None:
            worker.stop()
            webhooks.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        sending = webhooks.start("webhooks")
        worker.run()
        sending.join()
