"""How names typed by people are compared."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Return the text without case and accents, its runs of white space one space."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).split())


def normalise_username(text: str) -> str:
    """Return the one spelling of a username: NFKC without case (as RFC 8265)."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
