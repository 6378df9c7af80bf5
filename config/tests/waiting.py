"""Waiting for what another process does in its own time."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE_SECONDS = 240  # a busy machine is no failure
PAUSE_SECONDS = 0.1


def eventually(find: Callable[[], Found], otherwise: Callable[[], object] = str) -> Found:
    """Ask again and again until something is found; return it.

    Raises:
        AssertionError: nothing was found in time, with what ``otherwise`` returns.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline, otherwise()
        time.sleep(PAUSE_SECONDS)
    return found
