"""Fetch one record by its identifier or its slug, with all that decides who may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events.models import visibility
from calendar_events.models.visibility import LISTED
from calendar_events.parsing import slugs
from calendar_events.store import sql
from calendar_events.store.visibility import text_of

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.models import Event, Organizer, Venue

_COLUMNS = (
    "r.id, r.version, r.institution, r.author_id, r.status, r.published_at, "
    "r.modified_at, r.fragment, r.json_ld"
)
_OF_EVENTS = f"""{_COLUMNS}, r.password, COALESCE(
  (SELECT MAX(s.published_at) FROM calendar_events_event s
  WHERE {text_of(LISTED, "s")}) > %s, 1 = 0)"""


class Single(NamedTuple):
    """One event, venue or organizer."""

    id: int
    version: int
    institution: str
    author_id: int
    status: str
    published_at: datetime | None
    modified_at: datetime
    fragment: str
    json_ld: str
    password: str = ""
    has_scheduled: bool = False
    """Whether time has yet to publish an event, this one or another."""


def of_record(record: Event | Venue | Organizer) -> Single:
    """Return a record that is already loaded, freshly written, as a read would find it."""
    return Single(
        id=record.pk,
        version=record.version,
        institution=record.institution,
        author_id=record.author_id,
        status=record.status,
        published_at=record.published_at,
        modified_at=record.modified_at,
        fragment=record.fragment,
        json_ld=record.json_ld,
        password=getattr(record, "password", ""),
        has_scheduled=True,  # unknown, and asked for together with what is embedded
    )


def by_id(kind: str, pk: int, now: datetime) -> Single | None:
    """Return the record with this identifier."""
    return _single(kind, "r.id = %s", pk, now, prepare=True)


def by_slug(kind: str, slug: str, now: datetime) -> Single | None:
    """Return the record with this slug, written in letters or in escapes."""
    # The unique index leaves out empty slugs, which a prepared plan could not know.
    condition = "r.slug = %s AND NOT (r.slug = '')"
    return _single(kind, condition, slugs.from_path(slug), now, prepare=False)


def _single(
    kind: str, condition: str, value: Any, now: datetime, *, prepare: bool
) -> Single | None:
    is_event = kind == visibility.EVENT
    columns = _OF_EVENTS if is_event else _COLUMNS
    params = [sql.moment(now), value] if is_event else [value]
    statement = f"SELECT {columns} FROM calendar_events_{kind} r WHERE {condition}"
    rows = sql.rows(statement, params, prepare=prepare)
    if not rows:
        return None
    row = Single(*rows[0])
    return row._replace(
        published_at=sql.as_moment(row.published_at),
        modified_at=sql.as_moment(row.modified_at),
    )
