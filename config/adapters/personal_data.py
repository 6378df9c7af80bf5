"""What the calendar keeps about a person, for the download of My account."""

from typing import Any

from authserver.accounts.personal_data import MOST, collect_personal_data
from authserver.models import User
from calendar_events.models import (
    Event,
    IdempotentAnswer,
    Image,
    Organizer,
    Venue,
)

OWNED: dict[str, tuple[Any, str]] = {
    "events": (Event, "title"),
    "venues": (Venue, "name"),
    "organizers": (Organizer, "name"),
}
"""Records by owner, and what each is called. Webhooks are of keys, not of people."""


def connect() -> None:
    """Answer whoever collects what is kept about a person."""
    collect_personal_data.connect(in_calendar, dispatch_uid=__name__)


def in_calendar(user: User, **_kwargs: Any) -> tuple[str, dict[str, Any]]:
    """Return what the person owns, wrote and sent: the newest of each kind."""
    found: dict[str, Any] = {
        name: _newest(
            model.objects.filter(author_id=user.pk),
            *("id", "institution", called, "status", "created_at", "modified_at"),
        )
        for name, (model, called) in OWNED.items()
    }
    found["images"] = _newest(
        Image.objects.filter(author_id=user.pk),
        *("id", "institution", "title", "file", "created_at"),
    )
    found["repeatable_requests"] = _newest(
        IdempotentAnswer.objects.filter(user_id=user.pk),
        *("client_id", "path", "key", "created_at"),
    )
    found["history"] = {
        name: list(
            model.history.filter(history_user_id=user.pk)
            .order_by("-history_id")
            .values("id", called, "history_date", "history_type", "history_change_reason")[
                :MOST
            ]
        )
        for name, (model, called) in OWNED.items()
    }
    return "calendar", found


def _newest(rows: Any, *columns: str) -> list[dict[str, Any]]:
    return list(rows.order_by("-pk").values(*columns)[:MOST])
