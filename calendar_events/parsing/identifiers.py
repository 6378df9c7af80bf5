"""Identifiers and slugs as callers write them."""

from dataclasses import dataclass

from calendar_events.parsing import slugs

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
        return slugs.from_path(self.text)
