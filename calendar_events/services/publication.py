"""The status of a record and its publication moment (decisions 7). Pure."""

from datetime import datetime
from typing import NamedTuple

from calendar_events.models import Record, Status
from calendar_events.services.inputs import RecordChanges

DATED = frozenset({Status.PUBLISH, Status.PRIVATE})
"""Statuses that a record reaches at a moment; drafts may be without one."""


class Publication(NamedTuple):
    """What is stored: the status (never ``future``) and the publication moment."""

    status: Status
    published_at: datetime | None


def first(changes: RecordChanges, *, may_publish: bool, now: datetime) -> Publication:
    """Return the publication of a new record.

    Without the right to publish, what was to be published waits for review, in private
    too, and what says nothing is a draft.
    """
    unsaid = Status.PUBLISH if may_publish else Status.DRAFT
    status = _scaled(changes.get("status", unsaid), may_publish=may_publish)
    return _settled(status, changes.get("published_at"), now=now)


def change(
    record: Record, changes: RecordChanges, *, may_publish: bool, now: datetime
) -> Publication:
    """Return the publication of a stored record after a change."""
    status = Status(record.status)
    # A status that is sent back as it was read asks for nothing.
    if changes.get("status", status) != status:
        status = _scaled(changes["status"], may_publish=may_publish)
    published_at = changes.get("published_at", record.published_at)
    return _settled(status, published_at, now=now)


def _scaled(status: Status, *, may_publish: bool) -> Status:
    """Return the status that the user may give (contract events 5, contract events 8).

    Who may not publish has drafts and what is pending, and nothing else.
    """
    if status in {*DATED, Status.FUTURE} and not may_publish:
        return Status.PENDING
    # Scheduled is published with a moment to come; without one it is published now.
    return Status.PUBLISH if status == Status.FUTURE else status


def _settled(
    status: Status, published_at: datetime | None, *, now: datetime
) -> Publication:
    """Give what needs one a moment."""
    if published_at is None and status in DATED:
        published_at = now.replace(microsecond=0)
    return Publication(status, published_at)
