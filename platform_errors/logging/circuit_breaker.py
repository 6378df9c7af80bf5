"""Circuit breakers, and lines of the log that are written once a minute at most.

No request waits for what failed a moment ago, nor does the failure fill the log.
"""

import logging
from threading import Lock
from time import monotonic

logger = logging.getLogger(__name__)
PAUSE_SECONDS = 5.0
LOG_SECONDS = 60.0


class LogThrottle:
    """Lets one line of the log through in ``LOG_SECONDS``."""

    def __init__(self) -> None:
        self._next_at = 0.0
        self._lock = Lock()

    def is_due(self) -> bool:
        """Return whether a line should be written now; by one thread of many."""
        now = monotonic()
        with self._lock:
            if now < self._next_at:
                return False
            self._next_at = now + LOG_SECONDS
            return True


class CircuitBreaker:
    """Open for ``PAUSE_SECONDS`` after a failure, for all threads of the process."""

    def __init__(self, message: str) -> None:
        """``message`` is logged with the error, once a minute at most."""
        self._message = message
        self._until = 0.0
        self._log = LogThrottle()

    def is_open(self) -> bool:
        """Return whether calls are to be left out."""
        return monotonic() < self._until

    def trip(self, error: Exception) -> None:
        """Open after a failure."""
        self._until = monotonic() + PAUSE_SECONDS
        if self._log.is_due():
            logger.error("%s: %r", self._message, error)
