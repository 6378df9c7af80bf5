"""Look for words in events: by one of three ways, with one answer.

Where few events are to be looked at, and always on SQLite, the text of each is read
(``Source.EVENTS``). PostgreSQL has two more ways, on a narrow table that triggers keep in
step with the events (``search.postgresql.sql``): to look words up as beginnings of suffixes
(``Source.INDEX``), and to read all the texts there (``Source.TEXTS``).
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from calendar_events.parsing.text import SearchQuery
from calendar_events.store import sql

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
"""No word of a text in the index of suffixes has more characters."""
OTHERS = (
    f"SELECT COUNT(*) FROM (SELECT 1 FROM {TEXTS} o WHERE NOT o.has_suffixes LIMIT 1) o"
)
"""Whether there is a text that the index of suffixes does not know: 1 or 0."""
_JOIN = f" JOIN {EVENTS} ON e.id = s.id"
_COLUMN = re.compile(r"\be\.(\w+)")


class Source(Enum):
    """Where the words are looked for: in the events' own texts, or in the narrow table.

    There, in the index of suffixes alone (which may not know every text), in the indexes
    of suffixes and of trigrams, or in all texts.
    """

    EVENTS = auto()
    SUFFIXES = auto()
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
    elif source is Source.TEXTS:
        yield _in_texts(part, search)
    else:
        yield _looked_up(part, "s.has_suffixes", _look_up(search))
        if source is Source.INDEX:
            yield _looked_up(part, "NOT s.has_suffixes", read(search, "s"))


def _in_texts(part: Part, search: SearchQuery) -> Part:
    alias, table = ("e", f"{TEXTS} e") if _is_narrow(part) else ("s", f"{TEXTS} s{_JOIN}")
    conditions = _all(part.conditions, read(search, alias))
    if part.is_public:
        conditions.add(f"{alias}.is_listed")  # has an index over dates
    return part._replace(table=table, conditions=conditions)


def _looked_up(part: Part, where: str, found: sql.Conditions) -> Part:
    """Let what the index finds go through the part's conditions.

    Behind a fence (``OFFSET 0``): by any other index there is, the suffixes would be made
    again for every row that it finds, which no plan foresees.
    """
    fenced = f"(SELECT * FROM {TEXTS} s WHERE {where} AND {found} OFFSET 0)"
    table = f"{fenced} e" if _is_narrow(part) else f"{fenced} s{_JOIN}"
    conditions = sql.Conditions()
    conditions.params += found.params
    conditions.extend(part.conditions)
    return part._replace(table=table, conditions=conditions)


def identifiers(term: str) -> tuple[str, list[str]]:
    """Return the statement that finds the events with a folded term, on PostgreSQL."""
    search = SearchQuery(wanted=(term,), excluded=())
    parts = list(searched(Part("e.id", sql.Conditions()), search, Source.INDEX))
    texts = " UNION ALL ".join(f"({part.text})" for part in parts)
    params = [value for part in parts for value in part.conditions.params]
    return f"SELECT id FROM ({texts}) found", params


def _is_narrow(part: Part) -> bool:
    """Return whether the narrow table has every column that a part looks at."""
    return _COPIED.issuperset(_COLUMN.findall(f"{part.key} {part.conditions}"))


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


def _look_up(search: SearchQuery) -> sql.Conditions:
    """Look up the words; only of a phrase the index does not know how they follow."""
    conditions = _without(search, "s")
    words = dict.fromkeys(word for term in search.wanted for word in term.split(" "))
    if any(len(word) > LONGEST for word in words):
        # Such a word is in no such text, and a query of suffixes may have no room for it.
        conditions.add("1 = 0")
    elif words:
        found = "calendar_events_suffixes(s.search_text) @@ CAST(%s AS tsquery)"
        conditions.add(found, " & ".join(_beginnings(words)))
    for term in search.wanted:
        if " " in term:
            conditions.contains("s.search_text", term)
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
