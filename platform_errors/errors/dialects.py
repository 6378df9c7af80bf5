"""How each API words its errors, and which answers where no view was reached.

A dialect is an object that an app registers, by a name that ``MOUNTS`` may give to a path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from platform_errors.conf import conf
from platform_errors.http import negotiation
from platform_errors.http.mounts import is_below

if TYPE_CHECKING:
    from platform_errors.errors.base import ApiError


class Dialect(ABC):
    """How a view speaks; it says so with the class attribute ``error_dialect``."""

    name: ClassVar[str]

    @abstractmethod
    def wants_xml(self, accept: str) -> bool:
        """Return whether an ``Accept`` value is answered with XML; otherwise JSON."""

    @abstractmethod
    def members(self, error: ApiError) -> dict[str, Any]:
        """Return the members of the JSON document."""


_registered: dict[str, Dialect] = {}


def register(dialect: Dialect) -> None:
    """Make a dialect known by its name."""
    _registered[dialect.name] = dialect


def names() -> list[str]:
    """Return the names of the dialects that apps registered."""
    return sorted(_registered)


class PlatformDialect(Dialect):
    """XML unless JSON is preferred: ``code``, ``message``, ``detail`` (decisions 6)."""

    name = "platform"

    def wants_xml(self, accept: str) -> bool:
        """Answer XML unless JSON is wanted more.

        By quality or, at the same quality, by being named where XML is only covered by a
        wildcard.
        """
        as_json = negotiation.preference(accept, negotiation.JSON)
        xml = negotiation.preference(accept, *negotiation.XML_TYPES)
        return as_json.quality == 0 or xml >= as_json

    def members(self, error: ApiError) -> dict[str, Any]:
        """Return status, message, detail, reason and evidence."""
        return {
            "code": error.status_code,
            "message": error.text,
            "detail": str(error.detail),
            "reason": error.reason,
            **error.evidence,
        }


PLATFORM = PlatformDialect()
register(PLATFORM)


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of the longest mount that holds a path; ``None`` for a page."""
    mounts = conf.mounts
    holding = [prefix for prefix in mounts if is_below(path, (prefix,))]
    return _registered[mounts[max(holding, key=len)]] if holding else None
