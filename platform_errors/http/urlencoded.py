"""Query strings and form bodies, decoded strictly: what is not clear is not guessed.

Python's and Django's own readers keep broken escapes as they stand and replace bytes that
are not UTF-8. How many fields there may be, and how often each, is for the caller to say.
"""

import re
from urllib.parse import unquote_to_bytes

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class BrokenEscape(ValueError):
    """A ``%`` is not followed by two hexadecimal digits."""


def query_bytes(query_string: str) -> bytes:
    """Return a WSGI ``QUERY_STRING`` as it came over the wire (PEP 3333: Latin-1 text)."""
    return query_string.encode("latin-1", "replace")


def split(encoded: bytes) -> list[tuple[bytes, bytes]]:
    """Split into names and values, still encoded, in order and with duplicates.

    Wholly empty pieces are dropped; a name without ``=`` has an empty value. Raises
    ``BrokenEscape``.
    """
    if _BROKEN_ESCAPE.search(encoded):
        raise BrokenEscape
    pieces = (piece.partition(b"=") for piece in encoded.split(b"&") if piece)
    return [(name, value) for name, _, value in pieces]


def decode(part: bytes) -> str:
    """Decode a name or a value. Raises ``UnicodeDecodeError`` for what is not UTF-8."""
    return unquote_to_bytes(part.replace(b"+", b" ")).decode()
