"""Wait for a change, and only so many callers at once: each takes a thread meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from calendar_events.conf import conf

POLL_SECONDS = 1.0
"""Between two looks at the log."""
closing = threading.Event()
"""Set when the server is about to stop: nobody waits any longer."""


class Seats:
    """Counts the callers of this process that wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.taken = 0

    @contextmanager
    def one(self) -> Iterator[bool]:
        """Hold a seat for the block, if one of ``CHANGES_WAITING`` is free."""
        with self._lock:
            is_seated = self.taken < conf.changes_waiting
            self.taken += is_seated
        try:
            yield is_seated
        finally:
            with self._lock:
                self.taken -= is_seated


seats = Seats()


def moments(seconds: float) -> Iterator[None]:
    """Yield each time that it is worth looking again, until the time is over."""
    latest = monotonic() + seconds
    while (left := latest - monotonic()) > 0:
        if closing.wait(min(POLL_SECONDS, left)):
            return
        yield
