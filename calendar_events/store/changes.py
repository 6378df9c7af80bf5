"""Write the log of changes (``models.change``), and forget what is old of it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from calendar_events.conf import conf
from calendar_events.models import Event
from calendar_events.models.change import Change
from calendar_events.models.kinds import kind_of
from calendar_events.models.visibility import EVENT
from calendar_events.store import links, sql

SLACK: Final = timedelta(days=1)
"""Rows stay so much longer than promised: clocks differ, and transactions take time."""
_COLUMNS = "(at, kind, record, institution, version, created, deleted, embedded)"
_INSERT = (
    f"INSERT INTO calendar_events_change {_COLUMNS} VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)
# A password protects what its event is linked to; so that is not told by the hour either.
_INSERT_EMBEDDING = f"""INSERT INTO calendar_events_change {_COLUMNS}
SELECT %s, '{EVENT}', e.id, e.institution, e.version, %s, %s, %s
FROM {{link.table}} l JOIN calendar_events_event e ON e.id = l.event_id
WHERE l.{{link.column}} = %s AND e.password = ''"""
_LINKS: Final = {link.linked: link for link in links.KINDS}


def log(record: Any, *, created: bool = False, deleted: bool = False) -> None:
    """Put a write into the log, and the events whose documents it changes.

    Call it in the transaction of the write, before the links of what is deleted are gone.
    """
    now = sql.moment(timezone.now())
    institution = getattr(record, "institution", "")
    facts = [kind_of(record).singular, record.pk, institution, record.version]
    sql.write(_INSERT, [now, *facts, created, deleted, False])
    link = _LINKS.get(record._meta.db_table)
    if link and not created:
        statement = _INSERT_EMBEDDING.format(link=link)
        sql.write(statement, [now, False, False, True, record.pk])


def log_events(
    events: Iterable[Event],
    *,
    created: bool = False,
    deleted: bool = False,
    batch_size: int,
) -> None:
    """Put writes of events into the log, in their order."""
    now = timezone.now()
    rows = [
        Change(
            at=now,
            kind=EVENT,
            record=event.pk,
            institution=event.institution,
            version=event.version,
            created=created,
            deleted=deleted,
        )
        for event in events
    ]
    Change.objects.bulk_create(rows, batch_size=batch_size)


def begin_anew() -> None:
    """Say that documents changed which nobody wrote: every copy has to be made again."""
    Change.objects.create(at=timezone.now(), kind="", record=0, version=0)


def purgeable(now: datetime, **_kwargs: Any) -> list[QuerySet[Any]]:
    """Return the rows that no reader may ask for any more (``clear_expired``)."""
    kept = timedelta(days=conf.changes_days) + SLACK
    return [Change.objects.filter(at__lt=now - kept), Change.objects.foreign()]
