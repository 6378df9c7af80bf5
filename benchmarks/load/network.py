"""Another host: a network namespace with one wire to this machine. Needs root on Linux."""

from __future__ import annotations

import contextlib
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "calendar-load"
HERE, THERE = "10.231.0.1", "10.231.0.2"
WIRE: Final = "calendar-load0"
INSIDE: Final = ("ip", "netns", "exec", NAME)
"""What a command begins with that is to run on the other host."""
NOBODY: Final = "02:00:00:00:00:01"
_ENDS: Final = (((), WIRE, THERE), (("-n", NAME), "eth0", HERE))
"""For each end of the wire: where it is, its name, and whom it reaches."""


@contextlib.contextmanager
def host() -> Iterator[None]:
    """Make the host, and remove it in the end."""
    with contextlib.suppress(subprocess.CalledProcessError):
        _ip("netns", "delete", NAME)  # of a run that was killed
    _ip("netns", "add", NAME)
    try:
        _ip("link", "add", WIRE, "type", "veth", "peer", "name", "eth0", "netns", NAME)
        for (where, wire, _), address in zip(_ENDS, (HERE, THERE), strict=True):
            _ip(*where, "address", "add", f"{address}/30", "dev", wire)
            _ip(*where, "link", "set", wire, "up")
        _ip("-n", NAME, "link", "set", "lo", "up")
        yield
    finally:
        _ip("netns", "delete", NAME)


def part() -> None:
    """Drop everything that is sent over the wire, silently."""
    for where, wire, peer in _ENDS:
        _ip(*where, *("neighbour", "replace", peer, "lladdr", NOBODY), *("dev", wire))


def join() -> None:
    """Let the wire carry again."""
    for where, wire, peer in _ENDS:
        _ip(*where, "neighbour", "delete", peer, "dev", wire)


def _ip(*arguments: str) -> None:
    command = ["ip", *arguments]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # noqa: S603 -- our own
