"""What goes on for a while: said once a minute, and left alone while it fails.

Neither does every request wait for what failed a moment ago, nor does it fill the log.
"""

from __future__ import annotations

import logging
from threading import Lock
from time import monotonic

logger = logging.getLogger(__name__)
PAUSE_SECONDS = 5.0
OCCASION_SECONDS = 60.0


class Occasion:
    """Something that goes on for a while and is worth a line of the log once a minute."""

    def __init__(self) -> None:
        """Be due at once."""
        self._next_at = 0.0
        self._lock = Lock()

    def is_due(self) -> bool:
        """Return whether a line should be written now; by one thread of many."""
        now = monotonic()
        with self._lock:
            if now < self._next_at:
                return False
            self._next_at = now + OCCASION_SECONDS
            return True


class Outage:
    """Of one thing, known to all threads of the process."""

    def __init__(self, message: str) -> None:
        """Begin as over. ``message`` is logged once a minute at most, with the error."""
        self._message = message
        self._until = 0.0
        self._log = Occasion()

    def is_on(self) -> bool:
        """Return whether the thing is to be left alone."""
        return monotonic() < self._until

    def begin(self, error: Exception) -> None:
        """Note a failure."""
        self._until = monotonic() + PAUSE_SECONDS
        if self._log.is_due():
            logger.error("%s: %r", self._message, error)
