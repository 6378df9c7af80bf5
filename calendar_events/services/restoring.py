"""Bringing back what was deleted for good: once, under a new identifier."""

import re
from typing import Any

from calendar_events.models import Event, Organizer, Venue

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
