"""The services that admin alone offers: return, move and restore a record."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import transaction

from calendar_events.models import Event, Organizer, Status, Venue
from calendar_events.permissions import Actor, require_move, require_review
from calendar_events.services import writing
from calendar_events.services.changesets import InTrash, InvalidFields
from calendar_events.services.writing import AnyRecord

MAX_COMMENT: Final = 2_000
"""Characters."""
RETURNED: Final = "Returned: "
"""How the reason of such a change begins; no other reason does."""
NOT_WAITING: Final = "does not wait for review any more."


class Returned(NamedTuple):
    """A comment, with who gave it and when."""

    comment: str
    by: Any
    at: datetime


@transaction.atomic
def return_record(  # noqa: PLR0913 -- whose, which, what, when
    model: type[AnyRecord],
    *,
    actor: Actor,
    pk: int,
    comment: str,
    now: datetime,
    expected_version: int | None = None,
) -> AnyRecord:
    """Make a draft of an event, a venue or an organizer that waits for review.

    Raises ``NotAllowed``, ``InvalidFields`` when it does not wait or the comment is empty
    or too long, ``VersionConflict`` and the model's ``DoesNotExist``.
    """
    record = writing.lock(model, pk, expected_version=expected_version)
    require_review(actor, record)
    if record.status != Status.PENDING:
        raise InvalidFields({"status": NOT_WAITING})
    words = comment.strip()
    if not 0 < len(words) <= MAX_COMMENT:
        limits = f"must have 1 to {MAX_COMMENT} characters."
        raise InvalidFields({"comment": limits})
    stored_slug = record.slug
    writing.amend(record, {"status": Status.DRAFT}, actor=actor, now=now)
    writing.set_history_actor(record, actor, f"{RETURNED}{words}")
    writing.save(record, {}, stored_slug=stored_slug, now=now)
    return record


def last_comment(record: Event | Venue | Organizer) -> Returned | None:
    if record.status not in {Status.DRAFT, Status.PENDING}:
        return None
    states = record.history.filter(history_change_reason__startswith=RETURNED)
    state = states.select_related("history_user").order_by("-history_id").first()
    if state is None:
        return None
    comment = state.history_change_reason.removeprefix(RETURNED)
    return Returned(comment=comment, by=state.history_user, at=state.history_date)


class StaysBehind(Exception):
    """Records that refer to each other would belong to two institutions."""

    def __init__(self, kinds: list[str]) -> None:
        super().__init__(", ".join(kinds))
        self.kinds = kinds


@transaction.atomic
def move_record(  # noqa: PLR0913 -- whose, which, where to, when
    model: type[AnyRecord],
    *,
    actor: Actor,
    pk: int,
    institution: str,
    now: datetime,
    expected_version: int | None = None,
) -> AnyRecord:
    """Give an event, a venue or an organizer to another institution.

    Its author stays the same, and has no right to it there. Raises ``NotAllowed``,
    ``InTrash``, ``StaysBehind``, ``VersionConflict`` and the model's ``DoesNotExist``.
    """
    record = writing.lock(model, pk, expected_version=expected_version)
    require_move(actor, record)
    if record.status == Status.TRASH:
        raise InTrash(f"{record} is in the trash.")
    if kinds := list(_staying(record, institution)):
        raise StaysBehind(kinds)
    writing.set_history_actor(record, actor)
    record.institution = institution
    record.save(now=now)
    return record


def _staying(record: Any, institution: str) -> Iterator[str]:
    if getattr(record, "series_id", None) is not None:
        yield "series"
    for kind, rows in record.linked_rows().items():
        if rows.exclude(institution=institution).exists():
            yield kind


_RESTORED = "; restored as {}"
_WHICH = re.compile(r"; restored as (\d+)\Z")


def restored_as(deletion: Any) -> int | None:
    """Return the identifier under which a record came back after this state of it."""
    match = _WHICH.search(deletion.history_change_reason or "")
    return int(match[1]) if match else None


def lock_deletion(model: type[Event | Organizer | Venue], pk: int) -> Any:
    """Return the last state of a deleted record; nobody else restores it meanwhile.

    ``None`` when there is none. Call it in a transaction.
    """
    states: Any = model.history.model.objects.select_for_update()
    return states.filter(id=pk, history_type="-").order_by("-history_id").first()


def note_restored(deletion: Any, pk: int) -> None:
    """Say at the deletion which record came of it."""
    reason = deletion.history_change_reason or ""
    deletion.history_change_reason = reason + _RESTORED.format(pk)
    deletion.save(update_fields=["history_change_reason"])
