"""Identifiers and slugs, which name a record in an address."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from calendar_events.parsing import text

MAX_ID = 2**63 - 1
"""The largest identifier that a row can have."""


def identifier(digits: str) -> int:
    """Return the number in an address; for one that no row can have, 0, which none has.

    Python refuses to read thousands of digits, so they are counted first.
    """
    digits = digits.lstrip("0")
    number = int(digits) if 0 < len(digits) <= len(str(MAX_ID)) else 0
    return number if number <= MAX_ID else 0


@dataclass(frozen=True, slots=True)
class Token:
    """An identifier or a slug in a list: all digits is an identifier first."""

    text: str

    @property
    def pk(self) -> int | None:
        """The identifier it may be."""
        if not (self.text.isascii() and self.text.isdigit()):
            return None
        return min(int(self.text[:30]), MAX_ID)

    @property
    def slug(self) -> str:
        """The slug it may be, as it is stored."""
        return from_path(self.text)


MAX_LENGTH = 200

_ESCAPES = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_SPELLED_OUT = str.maketrans({"€": "e", "\N{MULTIPLICATION SIGN}": "x"})
_DASHES = re.compile(r"[\s./\\\-\u2010-\u2015\u2212]+")
_ELSEWHERE = re.compile("[^!-~]+")  # what cannot stand in an address, NUL among it
_KEPT_ASCII = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def from_title(title: str, *, fallback: str) -> str:
    """Return the slug for a title, or for a slug that somebody wants, as it was sent.

    A slug is its own slug. A title without a letter or digit gets ``fallback``.
    """
    return from_plain(text.plain(title), fallback=fallback)


def from_plain(title: str, *, fallback: str) -> str:
    """Return the slug for a title that is plain text already; it may show a tag."""
    words = _ESCAPES.sub(_decoded, title)
    folded = text.fold(words.translate(_SPELLED_OUT))
    dashed = _DASHES.sub("-", folded)
    kept = "".join(character for character in dashed if _is_kept(character))
    slug = re.sub(r"-{2,}", "-", kept).strip("-")
    return _shortened(slug, MAX_LENGTH) or fallback


def from_path(segment: str) -> str:
    """Return the stored form of a slug that was read from a path, decoded or not."""
    return _encoded(_ESCAPES.sub(_decoded, segment)).lower()


def candidates(slug: str) -> Iterator[str]:
    """Yield ``slug``, ``slug-2``, ``slug-3`` and so on, each within ``MAX_LENGTH``."""
    yield slug
    readable = _ESCAPES.sub(_decoded, slug)
    number = 2
    while True:
        suffix = f"-{number}"
        yield _shortened(readable, MAX_LENGTH - len(suffix)) + suffix
        number += 1


def _decoded(escapes: re.Match[str]) -> str:
    """Return what an escape sequence stands for, or nothing if it is no UTF-8."""
    try:
        return unquote(escapes[0], errors="strict")
    except UnicodeDecodeError:
        return ""


def _is_kept(character: str) -> bool:
    if character.isascii():
        return character in _KEPT_ASCII
    return unicodedata.category(character)[0] in "LMN"


def _encoded(slug: str) -> str:
    return _ELSEWHERE.sub(
        lambda match: quote(match[0], safe="", errors="replace").lower(), slug
    )


def _shortened(slug: str, length: int) -> str:
    """Encode ``slug`` and cut it to ``length``, between characters."""
    encoded = _encoded(slug)
    while len(encoded) > length:
        surplus = (len(encoded) - length) // 12  # a character is at most %xx%xx%xx%xx
        slug = slug[: -1 - surplus].rstrip("-")
        encoded = _encoded(slug)
    return encoded
