"""The root of every error of an API, and what becomes of text that a caller sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from rest_framework.exceptions import APIException

if TYPE_CHECKING:
    from collections.abc import Mapping

ECHO_LIMIT = 256

# Everything outside XML 1.0's production 2 (Char): most C0 controls, lone surrogates,
# U+FFFE and U+FFFF. JSON could escape them, but a text must not change with its format.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """Return ``text`` with the characters that XML 1.0 cannot carry replaced (U+FFFD)."""
    return _UNPRINTABLE.sub("\ufffd", text)


def echo(part: object) -> str:
    """Return what a caller sent, cut at 256 characters and printable (decisions 6)."""
    return printable(str(part)[:ECHO_LIMIT])


class ApiError(APIException):
    """The root of every error that an API answers with.

    ``message`` is the short text of the contract, a ``str.format`` template over the
    keyword arguments; ``detail`` the longer text; ``data`` what else programs may want of
    it, ``fields`` the reason for each field at fault, for dialects that show them;
    ``headers`` go out with it. ``text`` is the filled message, ``summary`` the one that
    names the parameters where ``text`` says no more than that the body is bad.
    """

    status_code: int = 400
    message: ClassVar[str] = "Bad Request"
    reason: str = "refused"
    """The cause, for programs: snake_case, one for each class, never changed
    (docs/errors.md)."""
    bearer_error: ClassVar[str] = ""
    """The RFC 6750 ``error`` of the challenge; empty unless a bearer token failed."""

    def __init__(
        self,
        detail: str = "",
        *,
        data: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **parts: object,
    ) -> None:
        """Fill the message from ``parts``; ``detail`` defaults to the message."""
        self.text = self.message.format_map(
            {name: echo(part) for name, part in parts.items()}
        )
        self.summary = self.text
        super().__init__(printable(detail or self.text))
        self.data = dict(data or {})
        self.headers = dict(headers or {})
        self.evidence: Mapping[str, str] = {}
        """What the server made of the request: more members of every JSON form."""
        self.fields: Mapping[str, str] = {}

    @property
    def xml_detail(self) -> str:
        """The ``detail`` of the XML document, which has no other place for evidence."""
        return str(self.detail)


class AuthenticationError(ApiError):
    """A 401: nobody, or nobody we believe."""

    status_code = 401


class ForbiddenError(ApiError):
    """A 403: known, but not allowed."""

    status_code = 403
