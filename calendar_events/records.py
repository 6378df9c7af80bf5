"""The one way to write a record: every invariant of the models in one transaction.

A writer sets plain fields on an instance and calls::

    records.save(event, now=now, links=Links(venues=[3], organizers=[], terms=[7, 9]))

``save`` sees to the version, ``modified_at``, the fragment, the search text and the link
rows with their copies. A writer must set, before: ``institution``, ``author``, ``status``
(never ``future``: that is ``publish`` with ``published_at`` to come), ``published_at`` and
``slug`` when the status is ``publish``, both clocks of an event (``start_local`` and
``start_utc``, …).

Of two writers that read the same version the second gets ``StaleRecord``; nothing of it is
written. Slugs that another row has are an ``IntegrityError`` of the ``…_slug_is_unique``
constraint, which leaves the surrounding transaction unusable: call inside a savepoint and
try the next slug.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import F, Value

from calendar_events import documents, text
from calendar_events.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Organizer,
    Status,
    Term,
    Venue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from calendar_events.models import Rendered

AnyRecord = Event | Venue | Organizer | Term

SORT_LENGTH = 200


class StaleRecord(Exception):
    """Somebody wrote the record after it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """What an event is linked to, in order; ``None`` leaves the links as they are."""

    venues: Iterable[int] | None = None
    organizers: Iterable[int] | None = None
    terms: Iterable[int] | None = None


NO_CHANGE = Links()


def save(record: AnyRecord, *, now: datetime, links: Links = NO_CHANGE) -> None:
    """Write a new or changed record and everything that follows from it.

    Raises ``StaleRecord`` when the stored version is not the one that was read, and
    Django's ``IntegrityError`` when a constraint is violated.
    """
    is_new = record._state.adding  # noqa: SLF001 -- Django's word for it
    with transaction.atomic(savepoint=False):
        if isinstance(record, Event):
            record.linked = _linked(record, links)
        if is_new:
            _insert(record, now=now.replace(microsecond=0))
        else:
            _update(record, now=now.replace(microsecond=0))
        if isinstance(record, Event):
            _link(record, links, is_new=is_new)


def delete(record: AnyRecord) -> None:
    """Delete for good; links go with it, children of a term lose their parent.

    Raises ``StaleRecord`` when the stored version is not the one that was read.
    """
    with transaction.atomic(savepoint=False):
        if isinstance(record, Event):
            record.linked = _linked(record, NO_CHANGE)
        _claim(record, modified_at=record.modified_at)
        record.delete()


def _insert(record: AnyRecord, *, now: datetime) -> None:
    record.version = 1
    record.created_at = record.modified_at = now
    _describe(record)
    record.save(force_insert=True)
    # The fragment names the identifier, which only the insert makes.
    _render(record)
    type(record).objects.filter(pk=record.pk).update(**_rendered(record))


def _update(record: AnyRecord, *, now: datetime) -> None:
    _claim(record, modified_at=max(now, record.modified_at + timedelta(seconds=1)))
    _describe(record)
    _render(record)
    record.save(force_update=True)


def _claim(record: AnyRecord, *, modified_at: datetime) -> None:
    """Take the next version, if nobody took it since the record was read.

    One conditional UPDATE, because SQLite has no ``SELECT … FOR UPDATE``.
    """
    claimed = (
        type(record)
        .objects.filter(pk=record.pk, version=record.version)
        .update(version=F("version") + 1, modified_at=modified_at)
    )
    if not claimed:
        raise StaleRecord(f"{record} is no longer at version {record.version}.")
    record.version += 1
    record.modified_at = modified_at


def render(record: AnyRecord) -> None:
    """Make again what is made of a record's columns, without writing it."""
    _describe(record)
    _render(record)


def _describe(record: AnyRecord) -> None:
    """Fill the columns that search and sorting look at (decisions 7, "Search")."""
    # One line each, so that no phrase matches across two of them.
    record.search_text = "\n".join(filter(None, map(text.fold, searched(record))))
    name = record.title if isinstance(record, Event) else record.name
    record.sort_text = text.fold(name)[:SORT_LENGTH]


def searched(record: AnyRecord) -> list[str]:
    """Return the texts that ``search`` looks in, without markup."""
    if isinstance(record, Event):
        if record.password:
            return [record.title]
        return [
            record.title,
            text.strip_html(record.excerpt),
            text.strip_html(record.description),
        ]
    found = [record.name, text.strip_html(record.description)]
    if isinstance(record, Venue):
        found += [record.address, record.city, record.province, record.state]
        found += [record.stateprovince, record.zip, record.phone]
    elif isinstance(record, Organizer):
        found += [record.phone, record.email, record.website]
    else:
        found = [record.name, record.slug]
    return found


def _render(record: AnyRecord) -> None:
    if isinstance(record, Event):
        record.fragment, record.protected_fragment = documents.render_event(record)
    elif isinstance(record, Venue):
        record.fragment = documents.render_venue(record)
    elif isinstance(record, Organizer):
        record.fragment = documents.render_organizer(record)
    else:
        record.fragment = documents.render_term(record)


def _rendered(record: Rendered) -> dict[str, Any]:
    names = ["fragment"]
    if isinstance(record, Event):
        names.append("protected_fragment")
    return {name: getattr(record, name) for name in names}


def _link(event: Event, links: Links, *, is_new: bool) -> None:
    """Write the link rows, or only their copies of the event's columns."""
    copies = {
        "start_utc": event.start_utc,
        "listed": event.status == Status.PUBLISH
        and not event.hide_from_listings
        and not event.password,
    }
    kinds: list[tuple[Any, str, Iterable[int] | None]] = [
        (EventVenue, "venue_id", links.venues),
        (EventOrganizer, "organizer_id", links.organizers),
        (EventTerm, "term_id", links.terms),
    ]
    for model, column, wanted in kinds:
        rows = model.objects.filter(event=event)
        if not is_new:
            if wanted is None:
                rows.update(**copies)
                continue
            rows.delete()
        model.objects.bulk_create(
            model(event=event, position=position, **{column: pk}, **copies)
            for position, pk in enumerate(dict.fromkeys(wanted or ()))
        )


def _linked(event: Event, links: Links) -> dict[str, list[int]]:
    """Return what the event will be linked to, for its history; one statement at most."""
    known = {
        "venues": links.venues,
        "organizers": links.organizers,
        "terms": links.terms,
    }
    found = {name: list(dict.fromkeys(ids or [])) for name, ids in known.items()}
    if event._state.adding or None not in known.values():  # noqa: SLF001 -- Django's
        return found
    kept = [
        model.objects.filter(event=event).values_list(Value(name), "position", column)
        for name, model, column in (
            ("venues", EventVenue, "venue_id"),
            ("organizers", EventOrganizer, "organizer_id"),
            ("terms", EventTerm, "term_id"),
        )
        if known[name] is None
    ]
    for name, _position, pk in sorted(kept[0].union(*kept[1:], all=True)):
        found[name].append(pk)
    return found
