"""CPU time and memory of process trees, read from ``/proc`` (Linux only)."""

import contextlib
import os
from pathlib import Path

PROC = Path("/proc")
TICK_NANOSECONDS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    """Return the fields of ``/proc/{pid}/stat`` after the command's name.

    The name stands in brackets and may contain spaces and brackets itself. Raises
    ``OSError`` when the process is gone.
    """
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def parent(pid: int) -> int:
    """Return the process that started ``pid``."""
    return int(_stat(pid)[1])


def tree(root: int) -> list[int]:
    """Return ``root`` and every living descendant."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                children.setdefault(parent(int(entry.name)), []).append(int(entry.name))
    found = [root]
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def _own_nanoseconds(pid: int) -> int:
    """Return the CPU time of the living threads, as the scheduler counts it.

    ``stat`` counts the same in hundredths of a second, too coarse for cheap requests.
    """
    total = 0
    with contextlib.suppress(OSError):
        for task in (PROC / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                total += int((task / "schedstat").read_text().split()[0])
    return total


def cpu_milliseconds(root: int) -> float:
    """Return the CPU time of a tree, descendants that have ended included."""
    ended = 0
    with contextlib.suppress(OSError):
        fields = _stat(root)
        ended = (int(fields[13]) + int(fields[14])) * TICK_NANOSECONDS
    return (ended + sum(map(_own_nanoseconds, tree(root)))) / 1_000_000


def resident_mebibytes(pid: int) -> float:
    """Return the memory that a process keeps, shared pages included."""
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)
