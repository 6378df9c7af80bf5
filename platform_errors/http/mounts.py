"""Whether a path lies below one of the configured prefixes."""

from collections.abc import Iterable


def is_below(path: str, prefixes: Iterable[str]) -> bool:
    """Return whether a path is one of the prefixes or lies below it."""
    for prefix in prefixes:  # asked several times for every request
        if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in {"", "/"}:
            return True
    return False
