"""The work of saving a record besides its row: documents, search text, slugs, links.

``models.rendered`` calls ``prepare``, ``finish``, ``before_delete`` and ``log``. What
writes calls ``record.save()`` or ``record.delete()``::

    event.save(now=now, links=Links(venues=[3], organizers=[], terms=[7, 9]))

A new record needs ``institution``, ``author`` and its title or name; an event both clocks
(``start_local`` and ``start_utc``, …). ``status`` is never ``future``: that is ``publish``
with ``published_at`` to come.
"""

from datetime import datetime

from calendar_events import documents
from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.models.guard import VersionConflict
from calendar_events.parsing import text
from calendar_events.store import links as link_rows
from calendar_events.store import naming, sql
from calendar_events.store.changes import log
from calendar_events.store.links import Links

__all__ = [
    "SORT_LENGTH",
    "VersionConflict",
    "before_delete",
    "finish",
    "log",
    "prepare",
    "render",
    "settle",
]

AnyRecord = Event | Venue | Organizer | Term

SORT_LENGTH = 200


def prepare(
    record: AnyRecord, *, now: datetime, links: Links | None
) -> link_rows.Plan | None:
    """Set what the row lacks, and make again what is made of its columns."""
    if record._state.adding and not record.pk:  # noqa: SLF001 -- Django's word
        # The fragment names the identifier: taken beforehand, it needs no second statement.
        record.pk = sql.next_identifier(type(record))
    settle(record, now=now)
    if isinstance(record, Event):
        return link_rows.plan(record, links or link_rows.NO_CHANGE)
    return None


def settle(record: AnyRecord, *, now: datetime) -> None:
    """Set the moment of publication and the slug that the row lacks, and render it."""
    if not isinstance(record, Term) and record.status == Status.PUBLISH:
        record.published_at = record.published_at or now.replace(microsecond=0)
    if not record.slug and naming.needs_slug(record):
        naming.take_slug(record, naming.made_slug(record))
    render(record)


def finish(record: AnyRecord, plan: link_rows.Plan | None) -> None:
    """Write the links of an event. Raises ``VersionConflict``."""
    if isinstance(record, Event) and plan and not link_rows.write(record, plan):
        raise VersionConflict(f"What {record} names is no longer there to link.")


def before_delete(record: AnyRecord) -> None:
    """Let the last state of an event in the history say what it was linked to."""
    if isinstance(record, Event):
        record.linked = link_rows.stored(record)


def render(record: AnyRecord) -> None:
    """Make again what is made of a record's columns, without writing it."""
    # One line each, so that no phrase matches across two of them (decisions 7, "Search").
    lines = map(text.fold, record.searched_texts())
    record.search_text = "\n".join(filter(None, lines))
    record.sort_text = text.fold(record.display_name)[:SORT_LENGTH]
    for column, made in documents.columns(record).items():
        setattr(record, column, made)
