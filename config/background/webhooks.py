"""The loop that sends webhooks, beside the one that empties the queue of tasks.

A loop of its own, so that a receiver that is slow keeps no task waiting, and no queue grows
with every write: what is to be sent is read from the log of changes.
"""

from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections

from calendar_events.conf import conf
from calendar_events.webhooks.messenger import Messenger
from config.background.loop import Loop, outage


class WebhookLoop(Loop):
    """Sends what is due, again and again."""

    def __init__(self) -> None:
        """Begin with nothing under way."""
        super().__init__()
        self._messenger = Messenger()

    def run(self) -> None:
        """Send until ``stop`` is called; then wait for the answers that are due."""
        super().run()
        try:
            self._messenger.close()
        except (DatabaseError, InterfaceError) as error:
            outage.trip(error)  # it is sent again when its lease ends

    def run_once(self) -> None:
        """Send until there is nothing to do now. Raises ``DatabaseError``."""
        close_old_connections()
        while conf.encryption and self._messenger.step() and not self.stopping.is_set():
            self._messenger.wait(settings.TASK_POLL_SECONDS)
