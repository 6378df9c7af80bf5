"""What failed a moment ago and is left alone, so that not every request waits for it."""

from __future__ import annotations

import logging
from time import monotonic

from platform_errors.logs import Occasion

logger = logging.getLogger(__name__)
PAUSE_SECONDS = 5.0


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
