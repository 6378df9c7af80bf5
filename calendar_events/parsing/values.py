"""What reading the values of parameters needs and makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calendar_events.parsing import slugs
from calendar_events.parsing.identifiers import MAX_ID

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What reading a value depends on besides its text."""

    now: datetime
    zone: tzinfo
    """The site's zone, or that of ``tz``: naive dates are read in it."""


@dataclass(frozen=True, slots=True)
class Token:
    """An identifier or a slug in a list: all digits is an identifier first."""

    text: str

    @property
    def pk(self) -> int | None:
        """The identifier it may be."""
        if not _DIGITS.fullmatch(self.text) or not self.text.isascii():
            return None
        return min(int(self.text[:30]), MAX_ID)

    @property
    def slug(self) -> str:
        """The slug it may be, as it is stored."""
        return slugs.from_path(self.text)
