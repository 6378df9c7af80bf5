"""What a provider says of a person, as bounded text that any database can store."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from platform_errors.errors.base import printable

MOST_CLAIMS: Final = 200
MOST_VALUES: Final = 500
LONGEST: Final = 1000
DEEPEST: Final = 3

Claims = Mapping[str, tuple[str, ...]]
"""Values by name; of what is nested, the name is a path such as ``realm_access.roles``."""


def flatten(*sources: Mapping[str, Any]) -> Claims:
    """Return the claims of several answers; of two with one name, the first counts."""
    found: dict[str, tuple[str, ...]] = {}
    for source in sources:
        for name, value in _named(source, "", 1):
            if len(found) < MOST_CLAIMS and name not in found:
                found[name] = tuple(_texts(value))
    return found


def first(claims: Claims, name: str) -> str:
    """Return the first value of a claim without space around it, or ``""``."""
    return next((value.strip() for value in claims.get(name, ()) if value.strip()), "")


def _named(source: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in source.items():
        name = f"{prefix}{_text(key)}"
        if isinstance(value, Mapping):
            if depth < DEEPEST:
                yield from _named(value, f"{name}.", depth + 1)
        else:
            yield name, value


def _texts(value: Any) -> Iterator[str]:
    values = value if isinstance(value, (list, tuple)) else [value]
    for each in values[:MOST_VALUES]:
        if isinstance(each, bool):
            yield "true" if each else "false"
        elif isinstance(each, (str, int, float)):
            yield _text(each)


def _text(value: Any) -> str:
    return printable(str(value)[:LONGEST]).replace("\x00", "\N{REPLACEMENT CHARACTER}")
