"""Fetch one record by its identifier or its slug, with all that decides who may see it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from calendar_events import sql, viewers

_COLUMNS = (
    "r.id, r.version, r.institution, r.author_id, r.status, r.published_at, "
    "r.modified_at, r.fragment"
)
_OF_EVENTS = f"{_COLUMNS}, r.password, r.protected_fragment"


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
    password: str = ""
    protected_fragment: str = ""


def as_moment(value: Any) -> Any:
    """Return what a driver gives for an instant; SQLite gives it without a zone."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def by_id(kind: str, pk: int) -> Single | None:
    """Return the record with this identifier."""
    if pk > sql.MAX_ID:
        return None
    return _single(kind, "r.id = %s", pk, prepare=True)


def by_slug(kind: str, slug: str) -> Single | None:
    """Return the record with this slug."""
    if "\x00" in slug:
        return None
    # The unique index leaves out empty slugs, which a prepared plan could not know.
    return _single(kind, "r.slug = %s AND NOT (r.slug = '')", slug, prepare=False)


def _single(kind: str, condition: str, value: Any, *, prepare: bool) -> Single | None:
    columns = _OF_EVENTS if kind == viewers.EVENT else _COLUMNS
    statement = f"SELECT {columns} FROM calendar_events_{kind} r WHERE {condition}"
    rows = sql.rows(statement, [value], prepare=prepare)
    if not rows:
        return None
    row = Single(*rows[0])
    return row._replace(
        published_at=as_moment(row.published_at), modified_at=as_moment(row.modified_at)
    )
