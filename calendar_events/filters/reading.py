"""Texts of a query string to values; every refusal is a sentence for people.

Pure but for ``now`` and the zone, which come in. Identifiers and slugs are only read here;
whether anything has them is asked of the database later (``store.lookups``).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from calendar_events.parsing import dates, text, zones
from calendar_events.parsing.identifiers import MAX_ID
from calendar_events.parsing.values import Context, Token, Unreadable

if TYPE_CHECKING:
    from datetime import tzinfo

MAX_ITEMS = 500
MAX_TEXT = 500
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}(?:\.0+)?")
TRUE = frozenset({"true", "1", "yes", "on"})
FALSE = frozenset({"false", "0", "no", "off"})


def integer(value: str) -> int:
    """Read a whole number; ``1.0`` is one."""
    if not _INTEGER.fullmatch(value.strip()):
        raise Unreadable("This is not a whole number.", "type")
    return int(value.strip().partition(".")[0])


def positive(value: str) -> int:
    """Read a whole number from 1 on, as large as the database can count."""
    return min(identifier(value), MAX_ID)


def identifier(value: str) -> int:
    """Read an identifier; one that no row can have stays what was sent."""
    number = integer(value)
    if number < 1:
        raise Unreadable("This must be at least 1.", "range")
    return number


def boolean(value: str) -> bool:
    folded = value.strip().lower()
    if folded in TRUE:
        return True
    if folded in FALSE:
        return False
    raise Unreadable("This must be true or false.", "type")


def loose_boolean(value: str) -> bool:
    """Read a flag that is false unless it is plainly true, as callers expect."""
    if not value.strip():
        raise Unreadable("This must be true or false.", "type")
    return value.strip().lower() in TRUE


def words(value: str) -> str:
    """Read a text that must hold something."""
    if not value.strip():
        raise Unreadable("This must not be empty.", "blank")
    if len(value) > MAX_TEXT:
        raise Unreadable(f"This has at most {MAX_TEXT} characters.", "length")
    return value


def search_words(value: str) -> text.SearchQuery:
    """Read a search for words, phrases and exclusions (decisions 7, "Search")."""
    try:
        return text.search_query(words(value))
    except text.SearchError as error:
        raise Unreadable(str(error)) from error


def search_text(value: str) -> str:
    """Read a search for one substring; returns it folded."""
    folded = text.fold(words(value))
    if not folded:
        raise Unreadable("There is nothing to search for.", "blank")
    return folded


def number(value: str) -> float:
    try:
        found = float(value)
    except ValueError as error:
        raise Unreadable("This is not a number.", "type") from error
    if not math.isfinite(found):
        raise Unreadable("This is not a number.", "type")
    return found


def latitude(value: str) -> float:
    """Read degrees north."""
    found = number(value)
    if abs(found) > 90:
        raise Unreadable("A latitude is between -90 and 90.", "range")
    return found


def longitude(value: str) -> float:
    """Read degrees east."""
    found = number(value)
    if abs(found) > 180:
        raise Unreadable("A longitude is between -180 and 180.", "range")
    return found


def kilometres(value: str) -> float:
    """Read a distance."""
    found = number(value)
    if found <= 0 or found > 20_040:
        raise Unreadable("A radius is more than 0 and at most 20040 kilometres.", "range")
    return found


def zone(value: str) -> tzinfo:
    try:
        return zones.zone(words(value))
    except zones.ZoneError as error:
        raise Unreadable(str(error), "zone") from error


def moment(value: str, context: Context) -> dates.Moment:
    """Read a date in any of the accepted forms (decisions 7, "Date words")."""
    try:
        return dates.parse(
            words(value), now=context.now, zone=context.zone, is_clamped=True
        )
    except dates.DateError as error:
        raise Unreadable(str(error), "date") from error


def items(values: list[str]) -> list[str]:
    """Split ``a=1,2``, ``a[]=1&a[]=2`` and ``a=1&a=2`` into the same list."""
    found = [item.strip() for value in values for item in value.split(",")]
    found = [item for item in found if item]
    if not found:
        raise Unreadable("This must not be empty.", "blank")
    if len(found) > MAX_ITEMS:
        raise Unreadable(f"This lists at most {MAX_ITEMS} values.", "many")
    return found


def identifiers(values: list[str]) -> list[int]:
    return [identifier(item) for item in items(values)]


def possible_identifiers(values: list[str]) -> list[int]:
    """Read a list of identifiers, of which those that nothing has do not matter."""
    return [pk for pk in identifiers(values) if pk <= MAX_ID]


def tokens(values: list[str]) -> list[Token]:
    return [Token(words(item)) for item in items(values)]


def slug_words(values: list[str]) -> list[str]:
    """Read a list of slugs, written in letters or in escapes."""
    return [token.slug for token in tokens(values)]


def texts(values: list[str]) -> list[str]:
    return [words(item) for item in items(values)]


def names(values: list[str]) -> str:
    """Read a list of names as one text, the way ``fields`` takes it."""
    return ",".join(texts(values))
