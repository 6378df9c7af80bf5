"""Send a feed bit by bit, and only so many feeds at once."""

import contextvars
import threading
import weakref
from collections.abc import Generator, Iterable
from typing import Any, Self

from django.dispatch import Signal
from django.http import StreamingHttpResponse

from calendar_events.conf import conf
from platform_errors.errors.catalogue import Unavailable

CHUNK = 32 * 1024
"""Octets that are sent at once, save for the last."""
RETRY_AFTER_SECONDS = 10
feed_refused = Signal()
"""Sent when a feed is asked for and ``FEEDS_AT_ONCE`` are on their way."""


class Places:
    """Counts the feeds that this process is sending."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = 0

    def take(self) -> None:
        """Count one more. Raises ``Unavailable`` when there are ``FEEDS_AT_ONCE``."""
        with self._lock:
            has_room = self._taken < conf.feeds_at_once
            self._taken += has_room
        if not has_room:
            feed_refused.send_robust(sender=Places)
            raise Unavailable(
                "too many feeds are being sent",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
            )

    @property
    def taken(self) -> int:
        return self._taken

    def give_back(self) -> None:
        with self._lock:
            self._taken -= 1


places = Places()


class Steps:
    """An iterator whose every step but the first may be made by another thread.

    A step runs in the context of the request, which decides where reads go.
    """

    def __init__(self, steps: Generator[bytes]) -> None:
        """Make the first step: an error then can still be answered with its status.

        Raises what the step raises.
        """
        self._first = next(steps, None)
        self._steps = steps
        self._stepping = threading.Lock()
        self._context = contextvars.copy_context()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        """Make one step, or return what the first has made."""
        with self._stepping:
            if self._first is not None:
                first, self._first = self._first, None
                return first
            return self._context.run(next, self._steps)

    def close(self) -> None:
        """Make no more steps, after the one that another thread may be making."""
        with self._stepping:
            self._steps.close()


class FeedResponse(StreamingHttpResponse):
    """A feed on its way; it has its place until it is closed, or forgotten.

    Raises ``Unavailable`` when no place is left, and what its first step raises.
    """

    def __init__(self, steps: Generator[bytes], **kwargs: Any) -> None:
        places.take()
        self._give_back = weakref.finalize(self, places.give_back)
        try:
            super().__init__(Steps(steps), **kwargs)
        except BaseException:
            self._give_back()
            raise

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._give_back()


def chunks(texts: Iterable[str]) -> Generator[bytes]:
    waiting = b""
    for text in texts:
        waiting += text.encode()
        whole = len(waiting) - len(waiting) % CHUNK
        for start in range(0, whole, CHUNK):
            yield waiting[start : start + CHUNK]
        waiting = waiting[whole:]
    if waiting:
        yield waiting
