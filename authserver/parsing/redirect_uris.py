"""Redirect addresses: which may be registered, and which requested one is registered.

Pure functions over text; the rules are decisions 3.11, RFC 8252 and RFC 9700 section 2.1.
"""

import re
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

FORBIDDEN_SCHEMES = frozenset({"javascript", "data", "vbscript", "file", "blob", "about"})
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
MAX_LENGTH = 2000

# RFC 3986 characters; "#" is left out because a fragment is refused anyway.
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]+")
# http on a loopback literal: its port is the one part that may differ (RFC 8252 section
# 7.3).
_LOOPBACK = re.compile(
    r"(http://(?:127\.0\.0\.1|\[::1\]))(?::([1-9][0-9]{0,4}))?([/?].*)?", re.DOTALL
)


def validate_redirect_address(address: str) -> None:
    """Raise ``ValidationError`` unless an administrator may register this address."""
    if len(address) > MAX_LENGTH:
        raise ValidationError(
            "A redirect address has at most 2000 characters.", code="length"
        )
    if not _URI.fullmatch(address) or "*" in address:
        raise ValidationError(
            "%(address)s is not an absolute address without spaces, fragment or wildcard.",
            code="syntax",
            params={"address": address},
        )
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ValidationError(
            "%(address)s has a host or port that does not exist.",
            code="host",
            params={"address": address},
        ) from error
    if parts.username is not None or parts.password is not None:
        raise ValidationError("User information is not allowed.", code="userinfo")
    _validate_scheme(parts.scheme, parts.netloc, host=parts.hostname, port=port)


def _validate_scheme(
    scheme: str, netloc: str, *, host: str | None, port: int | None
) -> None:
    if scheme in FORBIDDEN_SCHEMES:
        raise ValidationError(
            "Addresses of the scheme %(scheme)s run in the browser or on its disk.",
            code="scheme",
            params={"scheme": scheme},
        )
    if scheme not in {"http", "https"}:
        return
    if not host or port == 0:
        raise ValidationError("The address has no host or port 0.", code="host")
    bare = netloc.removesuffix(f":{port}") if port is not None else netloc
    if scheme == "http" and bare not in LOOPBACK_HOSTS:
        raise ValidationError(
            "http is for 127.0.0.1, [::1] and localhost only; use https.", code="http"
        )


def is_registered(requested: str, registered: list[str]) -> bool:
    """Return whether ``requested`` is one of the registered addresses.

    Character by character, the port of a loopback literal (1 to 65535) aside.
    """
    if requested in registered:
        return True
    loopback = _loopback_without_port(requested)
    return loopback is not None and any(
        loopback == _loopback_without_port(address) for address in registered
    )


def _loopback_without_port(address: str) -> str | None:
    match = _LOOPBACK.fullmatch(address)
    if match is None:
        return None
    origin, port, rest = match.groups(default="")
    if port and int(port) > 65535:
        return None
    return origin + rest
