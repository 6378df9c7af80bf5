"""``Authorization`` as scheme and rest (RFC 9110 section 11.6.2), and its challenge.

Split by hand because the platform's scheme is an address, which is not a token of the RFC's
grammar, and because a server joins two headers into one with a comma.
"""

import re
from typing import NamedTuple

from platform_errors.conf import conf

_SPLIT = re.compile(r"([^ \t]+)[ \t]+(.*)", re.DOTALL)
# A quoted string, an unclosed one to the end: read in one pass whatever is sent.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)', re.DOTALL)
_SECOND_SCHEME = re.compile(r"[ \t]*[^ \t=]+[ \t]+[^ \t=]")


class AuthorizationHeader(NamedTuple):
    """A scheme, in lower case, and what follows it."""

    scheme: str
    rest: str


class TwoHeaders(ValueError):
    """The value is two ``Authorization`` headers that a server joined."""


def scheme_of(value: str) -> str:
    """Return the scheme, in lower case, whatever follows it; empty for a blank header."""
    return value.strip(" \t").replace("\t", " ").partition(" ")[0].lower()


def split(value: str) -> AuthorizationHeader | None:
    """Return scheme and rest, or ``None`` for a blank header.

    Raises ``TwoHeaders`` when an element of the list is not a parameter but looks like
    credentials (``scheme SP something``).
    """
    value = value.strip(" \t")
    if not value:
        return None
    if "," in value:
        elements = _QUOTED.sub("", value).split(",")
        if any(_SECOND_SCHEME.match(element) for element in elements[1:]):
            raise TwoHeaders("two Authorization headers")
    match = _SPLIT.fullmatch(value)
    if match is None:
        return AuthorizationHeader(value.lower(), "")
    return AuthorizationHeader(match[1].lower(), match[2])


def challenge(error: str = "") -> str:
    """Return the ``WWW-Authenticate`` of an error (decisions 5)."""
    realm = f'Bearer realm="{conf.issuer}"'
    return f'{realm}, error="{error}"' if error else realm
