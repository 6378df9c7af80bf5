"""Small disks, which can be filled. Needs root."""

from __future__ import annotations

import contextlib
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILLING: Final = "what-fills-the-disk"


@contextlib.contextmanager
def small(directory: Path, mebibytes: int) -> Iterator[None]:
    """Mount a disk of that size at a directory that is made for it."""
    directory.mkdir()
    options = f"size={mebibytes}m,mode=0755"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(directory)]
    subprocess.run(command, check=True)  # noqa: S603 -- our own arguments
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)  # noqa: S603, S607 -- our own


def fill(directory: Path) -> None:
    """Take all that is left of the disk."""
    path = directory / FILLING
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(2**20))


def clear(directory: Path) -> None:
    """Give back what ``fill`` took."""
    (directory / FILLING).unlink()
