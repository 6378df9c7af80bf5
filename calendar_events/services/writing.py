"""The common steps of creating, changing, trashing, restoring and deleting.

A write happens whole or not at all: each service is one transaction. What creates joins the
transaction it is called in (``savepoint=False``), which must end when it is refused.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar, cast

from calendar_events.models import Event, Organizer, Record, Status, Term, Venue
from calendar_events.permissions import Actor, may_publish, require_on
from calendar_events.services import images
from calendar_events.services.changesets import (
    EventChanges,
    InTrash,
    RecordChanges,
    ScheduleChanges,
)
from calendar_events.services.images import Picture
from calendar_events.store import naming, together
from calendar_events.store.links import NO_CHANGE, Links
from calendar_events.store.saving import VersionConflict

DATED = frozenset({Status.PUBLISH, Status.PRIVATE})
"""Statuses that a record reaches at a moment; drafts may be without one."""


class Publication(NamedTuple):
    """What is stored: the status (never ``future``) and the publication moment."""

    status: Status
    published_at: datetime | None


def first_publication(
    changes: RecordChanges, *, may_publish: bool, now: datetime
) -> Publication:
    """Return the publication of a new record.

    Without the right to publish, what was to be published waits for review, in private
    too, and what says nothing is a draft.
    """
    unsaid = Status.PUBLISH if may_publish else Status.DRAFT
    status = _allowed_status(changes.get("status", unsaid), may_publish=may_publish)
    return _with_moment(status, changes.get("published_at"), now=now)


def changed_publication(
    record: Record, changes: RecordChanges, *, may_publish: bool, now: datetime
) -> Publication:
    status = Status(record.status)
    # A status that is sent back as it was read asks for nothing.
    if changes.get("status", status) != status:
        status = _allowed_status(changes["status"], may_publish=may_publish)
    published_at = changes.get("published_at", record.published_at)
    return _with_moment(status, published_at, now=now)


def _allowed_status(status: Status, *, may_publish: bool) -> Status:
    """Return the status that the user may give (contract events 5, contract events 8).

    Who may not publish has drafts and what is pending, and nothing else.
    """
    if status in {*DATED, Status.FUTURE} and not may_publish:
        return Status.PENDING
    # Scheduled is published with a moment to come; without one it is published now.
    return Status.PUBLISH if status == Status.FUTURE else status


def _with_moment(
    status: Status, published_at: datetime | None, *, now: datetime
) -> Publication:
    """Default ``published_at`` to now where the status requires one."""
    if published_at is None and status in DATED:
        published_at = now.replace(microsecond=0)
    return Publication(status, published_at)


AnyRecord = TypeVar("AnyRecord", bound=Event | Venue | Organizer)
AnyRow = TypeVar("AnyRow", bound=Event | Venue | Organizer | Term)

SET_ELSEWHERE = frozenset(ScheduleChanges.__annotations__) | {
    *("author", "status", "published_at", "slug", "image", "post_parent"),
    *("venue", "organizer", "categories", "tags", "recurrence"),
}
"""Fields that depend on other columns or rows; all others are columns."""


def lock(model: type[AnyRow], pk: int, *, expected_version: int | None) -> AnyRow:
    """Return the row for writing; nobody else writes it before this transaction ends.

    PostgreSQL locks the row; SQLite lets only one transaction write at all. The version is
    compared once more when the row is saved.

    Raises ``VersionConflict`` when ``expected_version`` is given and is not the stored one,
    and the model's ``DoesNotExist``.
    """
    rows = model.objects.select_for_update(of=("self",))
    record = cast("AnyRow", rows.get(pk=pk))
    if expected_version is not None and record.version != expected_version:
        raise VersionConflict(f"{record} is at version {record.version}.")
    return record


def set_history_actor(record: Any, actor: Actor, reason: str = "") -> None:
    """Say in the history who makes the change that is about to be saved, and how or why."""
    record._history_user = actor.user  # noqa: SLF001 -- django-simple-history's seam
    record._change_reason = reason or actor.reason  # noqa: SLF001


def begin(
    record: AnyRecord, changes: RecordChanges, *, actor: Actor, now: datetime
) -> None:
    set_history_actor(record, actor)
    record.institution = actor.institution
    record.author_id = changes.get("author", actor.user.pk)
    record.status, record.published_at = first_publication(
        changes, may_publish=may_publish(actor, type(record)), now=now
    )
    if record.status == Status.TRASH:
        record.previous_status = Status.DRAFT


def amend(
    record: AnyRecord, changes: RecordChanges, *, actor: Actor, now: datetime
) -> None:
    set_history_actor(record, actor)
    record.author_id = changes.get("author", record.author_id)
    was = record.status
    record.status, record.published_at = changed_publication(
        record, changes, may_publish=may_publish(actor, type(record)), now=now
    )
    if was == Status.TRASH and record.status != Status.TRASH:
        record.slug = naming.restored(record.slug)
        record.previous_status = ""
    elif was != Status.TRASH and record.status == Status.TRASH:
        require_on(actor, "delete", record)
        record.previous_status = was


def require_reachable(record: AnyRecord, changes: RecordChanges) -> None:
    """Require that a record in the trash is being restored by an explicit status.

    Raises ``InTrash``.
    """
    if record.status == Status.TRASH and "status" not in changes:
        raise InTrash(f"{record} is in the trash.")


def fill(
    record: AnyRecord, changes: Mapping[str, Any], *, actor: Actor, now: datetime
) -> None:
    """Set the columns among ``changes``, and store a picture that came along.

    Raises ``FieldDoesNotExist`` for what is no column, which else would be lost.
    """
    for name in changes.keys() - SET_ELSEWHERE:
        record._meta.get_field(name)
        setattr(record, name, changes[name])
    if "image" in changes:
        image = changes["image"]
        if isinstance(image, Picture):
            image = images.add(actor=actor, picture=image, now=now)
        record.image = image


def save(
    record: AnyRecord,
    changes: RecordChanges,
    *,
    stored_slug: str = "",
    now: datetime,
    links: Links | None = None,
) -> None:
    """Save the record under the slug that it wants or the next free one.

    ``stored_slug`` is the slug of its row now; keeping it costs no look at others.
    """
    preferred = _preferred_slug(record, changes)
    if preferred in {"", stored_slug}:
        record.slug = preferred
    else:
        naming.take_slug(record, preferred)
    record.save(now=now, links=links)


class Write(NamedTuple):
    """An event that is about to be saved."""

    event: Event
    changes: EventChanges = {}
    stored_slug: str = ""
    links: Links = NO_CHANGE


def save_all(writes: Sequence[Write], *, now: datetime) -> None:
    """Save stored events together, each under its slug or the next free one."""
    moving: list[tuple[Event, str]] = []
    for one in writes:
        preferred = _preferred_slug(one.event, one.changes)
        if preferred in {"", one.stored_slug}:
            one.event.slug = preferred
        else:
            moving.append((one.event, preferred))
    naming.take_slugs(moving)
    links = [one.links for one in writes]
    together.save_all([one.event for one in writes], links=links, now=now)


def _preferred_slug(record: AnyRecord, changes: RecordChanges) -> str:
    """Return the slug that the record should have, if it is free.

    An event that is not published yet has none until it is, unless somebody gave it one; a
    slug lasts, whatever happens to the title; in the trash it is left to others.
    """
    slug = changes.get("slug", record.slug)
    if not slug and naming.needs_slug(record):
        slug = naming.made_slug(record)
    return naming.trashed(slug) if record.status == Status.TRASH else slug
