"""The files in which worker processes count, so that any of them can tell the sum.

They are prometheus-client's: each process maps some of its own into memory. Those of a
worker that died are kept, for what it counted stays true, and folded into one of each kind,
so that workers which die again and again cost a scrape nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import mark_process_dead

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The library's; set for the worker processes before they import it."""
_HEAD_BYTES: Final = 8
"""Of each file, which tell how much of it is used."""
_FILE: Final = re.compile(r"(counter|histogram|gauge_[a-z]+)_([1-9]\d*)\.db")


def make_directory() -> dict[str, str]:
    """Make a directory for the files; return the variables that lead to it.

    The server removes it when it ends.
    """
    return {VARIABLE: tempfile.mkdtemp(prefix="platform-metrics-")}


@contextlib.contextmanager
def settled(directory: Path) -> Iterator[None]:
    """Fold the files of dead workers, and keep other processes from it in the block."""
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _fold_dead(directory)
        yield


def _fold_dead(directory: Path) -> None:
    dead: dict[str, list[Path]] = defaultdict(list)
    for path in directory.glob("*.db"):
        match = _FILE.fullmatch(path.name)
        if match is None or _is_alive(int(match[2])):
            continue
        if _is_unfinished(path):
            path.unlink()
            continue
        if match[1].startswith("gauge"):
            mark_process_dead(int(match[2]), str(directory))
        else:
            dead[match[1]].append(path)
    for kind, paths in dead.items():
        _fold(directory / f"{kind}_0.db", paths)


def _is_unfinished(path: Path) -> bool:
    """Return whether its process was killed while it made the file."""
    try:
        return path.stat().st_size < _HEAD_BYTES
    except FileNotFoundError:  # went with another one of the same process
        return False


def _fold(kept: Path, paths: Iterable[Path]) -> None:
    """Add what is counted in ``paths`` to ``kept``, and remove them."""
    sums: dict[str, float] = defaultdict(float)
    for path in [*paths, *([kept] if kept.exists() else [])]:
        for key, value, *_ in MmapedDict.read_all_values_from_file(str(path)):
            sums[key] += value
    made = kept.with_suffix(".new")
    made.unlink(missing_ok=True)
    folded = MmapedDict(str(made))
    for key, value in sums.items():
        folded.write_value(key, value, 0.0)
    folded.close()
    made.replace(kept)
    for path in paths:
        path.unlink()


def _is_alive(pid: int) -> bool:
    try:
        with contextlib.suppress(PermissionError):  # it is somebody else's now
            os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
