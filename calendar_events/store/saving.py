"""The one way to write a record: every invariant of the models in one transaction.

A writer sets plain fields on an instance and calls::

    saving.save(event, now=now, wanted=Links(venues=[3], organizers=[], terms=[7, 9]))

``save`` sees to the version, ``modified_at``, the rendered texts, the search text and the
link rows with their copies. A writer must set, before: ``institution``, ``author``,
``status`` (never ``future``: that is ``publish`` with ``published_at`` to come),
``published_at`` and ``slug`` when the status is ``publish``, both clocks of an event
(``start_local`` and ``start_utc``, …).

Of two writers that read the same version the second gets ``VersionConflict``; nothing of it
is written. Slugs that another row has are an ``IntegrityError`` of the ``…_slug_is_unique``
constraint, which leaves the surrounding transaction unusable (``services.naming`` finds
free ones).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import F

from calendar_events import documents
from calendar_events.models import Event, Organizer, Term, Venue
from calendar_events.models.guard import store_writes
from calendar_events.parsing import text
from calendar_events.store import links, rows, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from calendar_events.store.links import Links

AnyRecord = Event | Venue | Organizer | Term

SORT_LENGTH = 200
_RENDERERS: dict[type[AnyRecord], Callable[[Any], Any]] = {
    Event: documents.render_event,
    Venue: documents.render_venue,
    Organizer: documents.render_organizer,
}


class VersionConflict(Exception):
    """Somebody wrote the record, or what it names, after it was read or seen."""


def save(record: AnyRecord, *, now: datetime, wanted: Links = links.NO_CHANGE) -> None:
    """Write a new or changed record and everything that follows from it.

    Raises ``VersionConflict`` when the stored version is not the one that was read, or what
    an event is to be linked to is deleted or another institution's by now, and Django's
    ``IntegrityError`` when a constraint is violated.
    """
    is_new = record._state.adding  # noqa: SLF001 -- Django's word for it
    with transaction.atomic(savepoint=False):
        write = _insert if is_new else _update
        write(record, now=now.replace(microsecond=0))
        if isinstance(record, Event) and not links.write(record, wanted, is_new=is_new):
            raise VersionConflict(f"What {record} names is no longer there to link.")
        rows.remember(record, "+" if is_new else "~")


def delete(record: AnyRecord) -> None:
    """Delete for good; links go with it, children of a term lose their parent.

    Raises ``VersionConflict`` when the stored version is not the one that was read.
    """
    with transaction.atomic(savepoint=False), store_writes():
        if isinstance(record, Event):
            record.linked = links.stored(record)
        # A conditional UPDATE, because SQLite has no ``SELECT … FOR UPDATE``.
        stored = type(record).objects.filter(pk=record.pk, version=record.version)
        if not stored.update(version=F("version") + 1):
            raise VersionConflict(f"{record} is no longer at version {record.version}.")
        record.version += 1
        record.delete()


def _insert(record: AnyRecord, *, now: datetime) -> None:
    record.version = 1
    record.created_at = record.modified_at = now
    # The fragment names the identifier: taken beforehand, it needs no second statement.
    record.pk = sql.next_identifier(type(record))
    render(record)
    rows.insert(record)


def _update(record: AnyRecord, *, now: datetime) -> None:
    read = record.version, record.modified_at
    record.version += 1
    record.modified_at = max(now, record.modified_at + timedelta(seconds=1))
    render(record)
    if not rows.update(record, version=read[0]):
        record.version, record.modified_at = read  # or it would pass for the newest
        raise VersionConflict(f"{record} is no longer at version {record.version}.")


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
    if isinstance(record, Term):
        record.fragment = documents.render_term(record)
        return
    for column, made in _RENDERERS[type(record)](record)._asdict().items():
        setattr(record, column, made)
