"""Return what waits for review to its author, with a comment.

To approve is to publish, which ``services.events`` and ``services.places`` do. The comment
is the reason of the change in the history, and nowhere else: no document shows it.
"""

from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import transaction

from calendar_events.models import Event, Organizer, Status, Venue
from calendar_events.permissions import Actor, require_review
from calendar_events.services import writing
from calendar_events.services.refusals import InvalidFields
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
    """Return the last comment for the author, until the record is published."""
    if record.status not in {Status.DRAFT, Status.PENDING}:
        return None
    states = record.history.filter(history_change_reason__startswith=RETURNED)
    state = states.select_related("history_user").order_by("-history_id").first()
    if state is None:
        return None
    comment = state.history_change_reason.removeprefix(RETURNED)
    return Returned(comment=comment, by=state.history_user, at=state.history_date)
