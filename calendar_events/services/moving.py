"""Give a record to another institution, with nothing that it is linked to."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction

from calendar_events.models import Event, Status, Taxonomy
from calendar_events.permissions import Actor, require_move
from calendar_events.services import writing
from calendar_events.services.refusals import InTrash
from calendar_events.services.writing import AnyRecord


class StaysBehind(Exception):
    """Records that refer to each other would belong to two institutions."""

    def __init__(self, kinds: list[str]) -> None:
        """Name what would stay behind, in the words of the forms."""
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
    """Yield the kinds of what a record is linked to and is not the institution's."""
    related: dict[str, Any] = {}
    if isinstance(record, Event):
        related |= {
            "venues": record.venues,
            "organizers": record.organizers,
            "categories": record.terms.filter(taxonomy=Taxonomy.CATEGORY),
            "tags": record.terms.filter(taxonomy=Taxonomy.TAG),
            "child events": record.children,
        }
        if record.post_parent and record.post_parent.institution != institution:
            yield "parent"
    else:
        related["events"] = record.events
    for kind, rows in related.items():
        if rows.exclude(institution=institution).exists():
            yield kind
    if record.image and record.image.institution != institution:
        yield "pictures"
