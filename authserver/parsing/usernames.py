"""How names typed by people are compared."""

import unicodedata

# Normalising takes the square of the marks on one letter; the login page takes any text.
# No username is as long, in any form.
MAX_LENGTH = 2000


def fold(text: str) -> str:
    """Return the text without case and accents, its runs of white space one space."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).split())


def normalise_username(text: str) -> str:
    """Return the one spelling of a username: NFKC without case (as RFC 8265)."""
    text = text[:MAX_LENGTH]
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
