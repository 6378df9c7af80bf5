"""Parameters as a client sent them, read strictly: nothing can be read in two ways.

Django's own ``QueryDict`` keeps the last of several values, drops broken escapes silently
and replaces bytes that are not UTF-8; for OAuth each of these hides an attack or a bug
(RFC 6749 section 3.1: parameters must not be included more than once).
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from authserver.errors import InvalidRequest

MAX_PARAMETERS = 100

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def parse(encoded: bytes) -> dict[str, str]:
    """Return the parameters of a query string or a form body by name.

    A name without ``=`` has the value ``""``, and so has a parameter sent without a value.
    Raises ``InvalidRequest``.
    """
    if _BROKEN_ESCAPE.search(encoded):
        raise InvalidRequest("a % is not followed by two hexadecimal digits")
    pieces = [piece for piece in encoded.replace(b"+", b" ").split(b"&") if piece]
    if len(pieces) > MAX_PARAMETERS:
        raise InvalidRequest(f"there are more than {MAX_PARAMETERS} parameters")
    found: dict[str, str] = {}
    for piece in pieces:
        name, _, value = (_decode(part) for part in piece.partition(b"="))
        if name in found:
            raise InvalidRequest(f"parameter {name} is repeated")
        found[name] = value
    return found


def query_bytes(query_string: str) -> bytes:
    """Return a WSGI ``QUERY_STRING`` as it came over the wire (PEP 3333: Latin-1 text)."""
    return query_string.encode("latin-1", "replace")


def _decode(part: bytes) -> str:
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest("the parameters are not UTF-8") from error
