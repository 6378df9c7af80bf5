"""Which events have changed since a moment, as their entity tags see it (decisions 9).

An event changes when it is written, when time publishes it, and when either happens to a
venue, an organizer or a term that it embeds. One condition with OR between them would look
at every event of the list; so each is a statement of its own, for which an index finds the
few that are new, and an event that several find is one event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from calendar_events.models.visibility import LISTED
from calendar_events.store import sql
from calendar_events.store.visibility import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from calendar_events.store.search_conditions import Part

# Written like the condition of the index over publication moments, so that it is used.
_ITSELF = f"""(e.modified_at > %s OR ({text_of(LISTED, "e")}
  AND e.published_at > %s AND e.published_at <= %s))"""
_EMBEDDED = """e.id IN (SELECT x.event_id FROM calendar_events_event{kind} x
  JOIN calendar_events_{kind} r ON r.id = x.{kind}_id WHERE {conditions})"""
_WRITTEN = "r.modified_at > %s"
_WRITTEN_OR_PUBLISHED = """(r.modified_at > %s OR (r.status = 'publish'
  AND r.published_at > %s AND r.published_at <= %s))"""
_EMBEDS = {
    "venue": _WRITTEN_OR_PUBLISHED,
    "organizer": _WRITTEN_OR_PUBLISHED,
    "term": _WRITTEN,
}


class Change(NamedTuple):
    """What ``modified_after`` asks for."""

    after: datetime
    """Exclusive."""
    now: datetime
    start: datetime | None = None
    """When the listed events begin at the earliest, where that is known."""
    password: str = ""
    """Of protected events; others are not found by what their password protects."""


def changed(part: Part, change: Change) -> Iterator[Part]:
    """Split a list into its changed events; one event can be in several of the parts."""
    after, now = sql.moment(change.after), sql.moment(change.now)
    itself = _copy(part.conditions)
    itself.add(_ITSELF, after, after, now)
    yield part._replace(conditions=itself)
    for kind, condition in _EMBEDS.items():
        embedded = sql.Conditions()
        embedded.add(
            condition, *([after] if condition is _WRITTEN else [after, after, now])
        )
        # The links have copies of what most of their events fail (``geography``).
        if change.start is not None:
            embedded.add("x.start_utc >= %s", sql.moment(change.start))
        by_embedded = _copy(part.conditions)
        if part.is_public and not change.password:
            embedded.add("x.listed")
        else:
            by_embedded.add("e.password IN ('', %s)", change.password)
        # What is in the first part already need not be found again.
        by_embedded.add("e.modified_at <= %s", after)
        by_embedded.add(_EMBEDDED.format(kind=kind, conditions=embedded), *embedded.params)
        yield part._replace(conditions=by_embedded)


def _copy(conditions: sql.Conditions) -> sql.Conditions:
    copy = sql.Conditions()
    copy.extend(conditions)
    return copy
