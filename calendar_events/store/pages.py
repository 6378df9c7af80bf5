"""Pages of lists as the documents that are answered, for each kind of record."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.utils import timezone

from calendar_events.documents import composition, term_answer
from calendar_events.documents.composition import Related
from calendar_events.models import Event, Term, visibility
from calendar_events.models.querysets.base import Listing, ListQuerySet
from calendar_events.models.visibility import password_matches
from calendar_events.store import lists, online, relations, singles


class Page(NamedTuple):
    """The documents of one page, as JSON texts, and how many there are in all."""

    items: list[str]
    total: int


class _Record(NamedTuple):
    id: int
    fragment: str
    is_scheduled: bool | None
    """Whether time has yet to publish it; a draft may have no moment for that."""


class _Event(NamedTuple):
    id: int
    password: str
    fragment: str
    protected_fragment: str
    is_scheduled: bool | None


def page(
    queryset: ListQuerySet, *, limit: int, offset: int, has_scheduled: bool = True
) -> Page:
    """Return a page of documents and the exact total, as of one moment.

    ``has_scheduled``: whether time has yet to publish an event. Raises what ``lists.fetch``
    raises.
    """
    now = queryset.listing.now or timezone.now()
    if queryset.model is Term:
        described, total = singles.term_rows(queryset, limit=limit, offset=offset)
        return Page([term_answer(row) for row in described], total)
    is_event = queryset.model is Event
    rows, total = lists.fetch(
        queryset,
        (_Event if is_event else _Record)._fields[:-1],
        limit=limit,
        offset=offset,
        fulfils=visibility.scheduled(now),
    )
    if is_event:
        events = [_Event(*row) for row in rows]
        items = _events(events, queryset.listing, now, has_scheduled=has_scheduled)
    else:
        items = [_record(_Record(*row)) for row in rows]
    return Page(items, total)


def named(
    queryset: ListQuerySet, ids: Sequence[int], *, has_scheduled: bool = True
) -> dict[int, str]:
    """Return the documents of those of these records that a list has, by identifier."""
    now = queryset.listing.now or timezone.now()
    if queryset.model is Term:
        columns, annotations = singles.TermRow._fields[:-1], ["number"]
        found = lists.named(queryset, columns, ids, annotations=annotations)
        return {row[0]: term_answer(singles.TermRow(*row)) for row in found}
    is_event = queryset.model is Event
    found = lists.named(
        queryset,
        (_Event if is_event else _Record)._fields[:-1],
        ids,
        fulfils=visibility.scheduled(now),
    )
    if not is_event:
        return {row[0]: _record(_Record(*row)) for row in found}
    events = [_Event(*row) for row in found]
    items = _events(events, queryset.listing, now, has_scheduled=has_scheduled)
    return {row.id: item for row, item in zip(events, items, strict=True)}


def _record(row: _Record) -> str:
    return composition.record(row.fragment, is_scheduled=bool(row.is_scheduled))


def _events(
    rows: list[_Event], listing: Listing, now: datetime, *, has_scheduled: bool
) -> list[str]:
    """Return events with what they embed; without their password some are blank."""
    shown = {
        row.id: row.fragment
        for row in rows
        if not row.password or password_matches(row.password, listing.password)
    }
    related: dict[int, list[Related]] = {pk: [] for pk in shown}
    shown = online.resolved(shown, listing.viewer, now)
    for one in relations.of_events(
        list(related), listing.viewer, now, has_scheduled=has_scheduled
    ):
        related[one.event].append(one)
    items = []
    for row in rows:
        is_open = row.id in related
        fragment = shown[row.id] if is_open else row.protected_fragment
        text = composition.effective(fragment, is_scheduled=bool(row.is_scheduled))
        items.append(
            composition.event(text, related[row.id])
            if is_open
            else composition.protected_event(text)
        )
    return items
