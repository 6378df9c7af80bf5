"""What a request costs, as a number that is the same on every machine."""

import sys
from collections.abc import Callable
from types import FrameType


def steps(work: Callable[..., object], *arguments: object) -> int:
    """Call a function; return how many calls, to Python and to C, that took."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        work(*arguments)
    finally:
        sys.setprofile(None)
    return count
