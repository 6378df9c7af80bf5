"""Look for words in events: by one of three ways, with one answer.

Where few events are to be looked at, and always on SQLite, the text of each is read
(``Source.EVENTS``). PostgreSQL has two more, on a narrow table that triggers keep in step
with the events (migration 0009): to look words up as beginnings of suffixes
(``Source.INDEX``), and to read all the texts there (``Source.TEXTS``).
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from calendar_events import sql
from calendar_events.text import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EVENTS = "calendar_events_event e"
TEXTS = "calendar_events_eventsearch"
_COPIED = frozenset(
    {
        "id",
        "start_utc",
        "end_utc",
        "published_at",
        "author_id",
        "hide_from_listings",
        "institution",
        "status",
    }
)
"""The columns of an event that the narrow table has as well."""
LONGEST = 32
"""No word of a text in the index of suffixes has more characters (migration 0009)."""
OTHERS = (
    f"SELECT COUNT(*) FROM (SELECT 1 FROM {TEXTS} o WHERE NOT o.has_suffixes LIMIT 1) o"
)
"""Whether there is a text that the index of suffixes does not know: 1 or 0."""
_COLUMN = re.compile(r"\be\.(\w+)")


class Source(Enum):
    """Where the words are looked for."""

    EVENTS = auto()
    SUFFIXES = auto()
    """The index alone, where it knows every text."""
    INDEX = auto()
    TEXTS = auto()


class Part(NamedTuple):
    """Some of a list's events, by identifier (``id``) and sorting key (``k``)."""

    key: str
    conditions: sql.Conditions
    table: str = EVENTS
    column: str = "e.id"
    is_public: bool = False
    """Whether it is what lists show everybody."""

    @property
    def text(self) -> str:
        """The statement that finds them."""
        select = f"SELECT {self.column} AS id, {self.key} AS k FROM {self.table}"
        return f"{select} WHERE {self.conditions}"


def searched(part: Part, search: SearchQuery | None, source: Source) -> Iterator[Part]:
    """Add the words to a part; in the index they are in two places."""
    if search is None:
        yield part
    elif source is Source.EVENTS:
        yield part._replace(conditions=_all(part.conditions, read(search, "e")))
    else:
        alias, part = _narrow(part)
        if source is Source.TEXTS:
            conditions = _all(part.conditions, read(search, alias))
            if part.is_public:
                # Only here: with an index over dates at hand, one might be used and what
                # the other one knows be made again for every row.
                conditions.add(f"{alias}.is_listed")
            yield part._replace(conditions=conditions)
            return
        for condition, found in (
            (f"{alias}.has_suffixes", _look_up(search, alias)),
            (f"NOT {alias}.has_suffixes", read(search, alias)),
        )[: 1 if source is Source.SUFFIXES else 2]:
            conditions = _all(part.conditions, found)
            conditions.add(condition)
            yield part._replace(conditions=conditions)


def identifiers(term: str) -> tuple[str, list[str]]:
    """Return the statement that finds the events with a folded term, on PostgreSQL."""
    search = SearchQuery(wanted=(term,), excluded=())
    parts = list(searched(Part("e.id", sql.Conditions()), search, Source.INDEX))
    params = [param for part in parts for param in part.conditions.params]
    union = " UNION ALL ".join(part.text for part in parts)
    return f"SELECT id FROM ({union}) found", params


def _narrow(part: Part) -> tuple[str, Part]:
    """Leave out the events' own table, unless it is needed."""
    used = _COLUMN.findall(f"{part.key} {part.conditions}")
    if _COPIED.issuperset(used):
        return "e", part._replace(table=f"{TEXTS} e")
    return "s", part._replace(table=f"{TEXTS} s JOIN {EVENTS} ON e.id = s.id")


def _all(*several: sql.Conditions) -> sql.Conditions:
    together = sql.Conditions()
    for conditions in several:
        together.extend(conditions)
    return together


def read(search: SearchQuery, alias: str) -> sql.Conditions:
    """Return the conditions on the text of ``alias``, which is read."""
    conditions = _without(search, alias)
    for term in search.wanted:
        conditions.contains(f"{alias}.search_text", term)
    return conditions


def _look_up(search: SearchQuery, alias: str) -> sql.Conditions:
    """Look up the words; only of a phrase the index does not know how they follow."""
    conditions = _without(search, alias)
    words = dict.fromkeys(word for term in search.wanted for word in term.split(" "))
    if any(len(word) > LONGEST for word in words):
        conditions.add(
            "1 = 0"
        )  # and a query of suffixes has no room for words of any length
    elif words:
        found = f"calendar_events_suffixes({alias}.search_text) @@ CAST(%s AS tsquery)"
        conditions.add(found, " & ".join(_beginnings(words)))
    for term in search.wanted:
        if " " in term:
            conditions.contains(f"{alias}.search_text", term)
    return conditions


def _beginnings(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        quoted = word.replace("\\", "\\\\").replace("'", "''")
        yield f"'{quoted}':*"


def _without(search: SearchQuery, alias: str) -> sql.Conditions:
    conditions = sql.Conditions()
    for term in search.excluded:
        conditions.contains(f"{alias}.search_text", term, negated=True)
    return conditions
