"""How each API words its errors, and which answers where no view was reached."""

from __future__ import annotations

import enum

from platform_errors.conf import conf
from platform_errors.http import negotiation
from platform_errors.http.mounts import is_below


class Dialect(enum.Enum):
    """How a view speaks; it says so with the class attribute ``error_dialect``."""

    PLATFORM = "platform"
    """XML unless JSON is preferred: ``code``, ``message``, ``detail``."""
    EVENTS = "events"
    """JSON ``code``, ``message``, ``data``; XML only for those who name it above JSON."""


PLATFORM = Dialect.PLATFORM
EVENTS = Dialect.EVENTS


def wants_xml(accept: str, dialect: Dialect) -> bool:
    """Choose between XML and JSON as decisions 6 does.

    A platform service answers XML unless JSON is wanted more, by quality or, at the same
    quality, by being named where XML is only covered by a wildcard. The events interface
    answers JSON unless XML is named with a higher quality; never to a browser, which names
    ``text/html`` beside it.
    """
    xml = negotiation.preference(accept, *negotiation.XML_TYPES)
    as_json = negotiation.preference(accept, negotiation.JSON)
    if dialect is PLATFORM:
        return as_json.quality == 0 or xml >= as_json
    is_browser = negotiation.preference(accept, "text/html").is_named
    return xml.is_named and xml.quality > as_json.quality and not is_browser


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of the longest mount that holds a path; ``None`` for a page."""
    mounts = conf.mounts
    holding = [prefix for prefix in mounts if is_below(path, (prefix,))]
    return Dialect(mounts[max(holding, key=len)]) if holding else None
