"""The root of every error of an API, and what becomes of text that a caller sent."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.exceptions import APIException

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
    """The root of every error that an API answers with, declared as DRF declares errors.

    ``default_detail`` is the short text of the contract, ``default_code`` the reason that
    programs read: snake_case, one for each class, never changed (docs/errors.md). To define
    a subclass without one raises ``TypeError``, unless it ``is_family`` and never raised.

    Of an instance, ``text`` is the short text and ``detail`` the longer one; ``data`` is
    what else programs may want, ``fields`` the reason for each field at fault; ``headers``
    go out with it. ``summary`` is the text that names the parameters where ``text`` says no
    more than that the body is bad.
    """

    status_code: int = 400
    default_detail: str = "Bad Request"
    default_code: str = "refused"
    bearer_error: ClassVar[str] = ""
    """The RFC 6750 ``error`` of the challenge; empty unless a bearer token failed."""

    def __init_subclass__(cls, *, is_family: bool = False, **kwargs: Any) -> None:
        """Require a ``default_code``."""
        super().__init_subclass__(**kwargs)
        if not is_family and "default_code" not in vars(cls):
            raise TypeError(f"{cls.__name__} must set default_code.")

    def __init__(
        self,
        detail: str | None = None,
        code: str | None = None,
        *,
        text: str = "",
        data: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """``text`` defaults to ``default_detail``, and ``detail`` to ``text``."""
        self.text = self.summary = text or str(self.default_detail)
        self.reason = code or self.default_code
        super().__init__(printable(detail or self.text), self.reason)
        self.data = dict(data or {})
        self.headers = dict(headers or {})
        self.evidence: Mapping[str, str] = {}
        """What the server made of the request: more members of every JSON form."""
        self.fields: Mapping[str, str] = {}

    @property
    def xml_detail(self) -> str:
        """The ``detail`` of the XML document, which has no other place for evidence."""
        return str(self.detail)


class AuthenticationError(ApiError, is_family=True):
    """A 401: nobody, or nobody we believe."""

    status_code = 401


class ForbiddenError(ApiError, is_family=True):
    """A 403: known, but not allowed."""

    status_code = 403
