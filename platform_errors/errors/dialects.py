"""How each API words its errors, and which of them an address speaks.

A dialect is an object that an app registers, by a name that ``MOUNTS`` may give to a path.
"""

from abc import ABC, abstractmethod
from http import HTTPStatus
from typing import Any, ClassVar

from django.http import HttpRequest
from django.urls import Resolver404, resolve
from rest_framework.request import Request

from platform_errors.conf import conf
from platform_errors.errors.base import ApiError
from platform_errors.http import negotiation
from platform_errors.http.authorization_header import challenge
from platform_errors.http.mounts import is_below


class Dialect(ABC):
    """How a view speaks; it says so with the class attribute ``error_dialect``."""

    name: ClassVar[str]

    @abstractmethod
    def wants_xml(self, accept: str) -> bool:
        """Return whether an ``Accept`` value is answered with XML; otherwise JSON."""

    @abstractmethod
    def members(self, error: ApiError) -> dict[str, Any]:
        """Return the members of the JSON document."""

    def headers(self, error: ApiError, request: HttpRequest | Request) -> dict[str, str]:
        """Return the headers of an answer, beside those that the error brings."""
        headers = {"Cache-Control": "no-store", "Vary": "Accept, Authorization"}
        if error.status_code == HTTPStatus.UNAUTHORIZED or error.bearer_error:
            headers["WWW-Authenticate"] = challenge(error.bearer_error)
        return headers


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


def dialect_for(request: HttpRequest) -> Dialect | None:
    """Return the dialect of an address, for who refuses a request before its view.

    That of its mount or of the view that it leads to; ``None`` for a page.
    """
    mounted = dialect_of(request.path)
    if mounted is not None:
        return mounted
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return None
    given: dict[str, Any] = getattr(view, "view_initkwargs", {})
    spoken = getattr(getattr(view, "view_class", None), "error_dialect", None)
    dialect: Dialect | None = given.get("error_dialect", spoken)
    return dialect


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of the longest mount that holds a path."""
    mounts = conf.mounts
    holding = [prefix for prefix in mounts if is_below(path, (prefix,))]
    return _registered[mounts[max(holding, key=len)]] if holding else None
