"""Which paths are APIs, and in which dialect each speaks when no view was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_errors.conf import conf
from platform_errors.documents import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_below(path: str, prefixes: Iterable[str]) -> bool:
    """Return whether a path is one of the prefixes or lies below it."""
    for prefix in prefixes:  # asked several times for every request
        if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in {"", "/"}:
            return True
    return False


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of the longest mount that holds a path; ``None`` for a page."""
    mounts = conf.mounts
    holding = [prefix for prefix in mounts if is_below(path, (prefix,))]
    return Dialect(mounts[max(holding, key=len)]) if holding else None
