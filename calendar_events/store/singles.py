"""Fetch one record by its identifier or its slug, with all that decides who may see it.

Of an event the versions of all that it embeds come in the same statement: an answer that
nothing changed needs no other. Who looks is no part of the statement, so that its plan is
kept; what the viewer may see is decided here.
"""

from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from calendar_events.documents.composition import Related
from calendar_events.models import (
    Event,
    Organizer,
    Status,
    Taxonomy,
    Term,
    Venue,
    visibility,
)
from calendar_events.models.kinds import kind_for
from calendar_events.models.querysets.base import ListQuerySet
from calendar_events.models.visibility import ANONYMOUS, LISTED, Viewer
from calendar_events.parsing import slugs
from calendar_events.store import lists, sql
from calendar_events.store.sql import text_of

_PLACE = """SELECT r.id, r.version, r.institution, r.author_id, r.status, r.published_at,
  r.modified_at, r.fragment, r.json_ld
FROM {table} r WHERE {condition}"""
_EVENT = f"""SELECT 'event' AS kind, e.id, e.version, e.institution, e.author_id, e.status,
  e.published_at, e.modified_at, 0 AS position, '' AS name, e.fragment, e.json_ld,
  e.password, COALESCE((SELECT MAX(s.published_at) FROM calendar_events_event s
    WHERE {text_of(LISTED, "s")}) > %s, 1 = 0)
FROM calendar_events_event e WHERE e.id = %s"""
_EMBEDDED = """SELECT '{kind}', r.id, r.version, r.institution, r.author_id, r.status,
  r.published_at, r.modified_at, l.position, '', '', '', '', 1 = 0
FROM calendar_events_event{kind} l JOIN calendar_events_{kind} r ON r.id = l.{kind}_id
WHERE l.event_id = %s"""
_EMBEDDED_TERMS = """SELECT t.taxonomy, t.id, t.version, '', 0, '',
  NULL, t.modified_at, l.position, t.sort_text, '', '', '', 1 = 0
FROM calendar_events_eventterm l JOIN calendar_events_term t ON t.id = l.term_id
WHERE l.event_id = %s"""
_WHOLE_EVENT = " UNION ALL ".join(
    [
        _EVENT,
        _EMBEDDED.format(kind=visibility.VENUE),
        _EMBEDDED.format(kind=visibility.ORGANIZER),
        _EMBEDDED_TERMS,
    ]
)
# The unique index leaves out empty slugs, which a prepared plan could not know.
_HAS_SLUG = "r.slug = %s AND NOT (r.slug = '')"
_EVENT_BY_SLUG = f"SELECT r.id FROM calendar_events_event r WHERE {_HAS_SLUG}"
_MOMENTS, _EVENT_MOMENTS = (5, 6), (6, 7)
"""Where the moments stand in a row of ``_PLACE``, and of ``_WHOLE_EVENT``."""


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
    online_from: datetime | None = None
    """When time shows its online address, where not everybody sees that (``online``)."""


class Row(NamedTuple):
    """A record without its wide columns, or a term, as an event embeds it."""

    kind: str
    id: int
    version: int
    institution: str
    author_id: int
    status: str
    published_at: datetime | None
    modified_at: datetime
    position: int
    name: str
    fragment: str
    json_ld: str
    password: str
    has_scheduled: bool


class Loaded(NamedTuple):
    """A record, and what it embeds without what that looks like."""

    single: Single
    embedded: list[Row]

    def related(self, viewer: Viewer, now: datetime) -> list[Related]:
        """Return what it embeds as the viewer sees it, in the order of its answer."""
        scheduled = visibility.scheduled(now)
        rules = {
            visibility.VENUE: visibility.visible(viewer, visibility.VENUE, now),
            visibility.ORGANIZER: visibility.visible(viewer, visibility.ORGANIZER, now),
        }
        related = []
        for row in self.embedded:
            rule = rules.get(row.kind)  # everybody sees terms
            is_shown = rule is None or visibility.is_met_by(rule, row)
            one = Related(
                kind=row.kind,
                event=self.single.id,
                position=row.position,
                id=row.id,
                version=row.version,
                modified_at=row.modified_at,
                is_scheduled=visibility.is_met_by(scheduled, row),
                fragment="" if is_shown else None,
                number=0,
                name=row.name,
                published_at=row.published_at if row.status == Status.PUBLISH else None,
            )
            related.append(one)
        related.sort(key=attrgetter("name", "position", "id"))
        return related


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


def by_id(kind: str, pk: int, now: datetime) -> Loaded | None:
    """Return the record with this identifier."""
    if kind == visibility.EVENT:
        return _event(pk, now)
    return _place(sql.rows(_statement(kind, "r.id = %s"), [pk], moments=_MOMENTS))


def by_slug(kind: str, slug: str, now: datetime) -> Loaded | None:
    """Return the record with this slug, written in letters or in escapes."""
    slug = slugs.from_path(slug)
    if kind == visibility.EVENT:
        rows = sql.rows(_EVENT_BY_SLUG, [slug], prepare=False)
        return _event(rows[0][0], now) if rows else None
    statement = _statement(kind, _HAS_SLUG)
    return _place(sql.rows(statement, [slug], prepare=False, moments=_MOMENTS))


def _statement(kind: str, condition: str) -> str:
    return _PLACE.format(table=kind_for(kind).model._meta.db_table, condition=condition)


def _place(rows: list[Any]) -> Loaded | None:
    return Loaded(Single(*rows[0]), []) if rows else None


def _event(pk: int, now: datetime) -> Loaded | None:
    values = [sql.moment(now), pk, pk, pk, pk]
    rows = sql.rows(_WHOLE_EVENT, values, moments=_EVENT_MOMENTS)
    versions = [Row(*row) for row in rows]
    event = next((row for row in versions if row.kind == visibility.EVENT), None)
    if event is None:
        return None
    single = Single(*(getattr(event, name) for name in Single._fields[:-1]))
    return Loaded(single, [row for row in versions if row is not event])


class TermRow(NamedTuple):
    """The columns of a term that its answer needs."""

    id: int
    version: int
    taxonomy: str
    modified_at: Any
    name: str
    slug: str
    description: str
    parent_id: int | None
    number: int
    """The number of published events that have it."""


def term_rows(terms: ListQuerySet, *, limit: int, offset: int) -> tuple[list[TermRow], int]:
    page, total = lists.fetch(
        terms, TermRow._fields[:-1], limit=limit, offset=offset, annotations=["number"]
    )
    return [TermRow(*row) for row in page], total


def term_by_id(taxonomy: Taxonomy, pk: int, now: datetime) -> TermRow | None:
    terms = Term.objects.listed_for(ANONYMOUS, now, taxonomy=taxonomy)
    named, _ = term_rows(terms.hiding_empty(wanted=False).filter(pk=pk), limit=1, offset=0)
    return named[0] if named else None
