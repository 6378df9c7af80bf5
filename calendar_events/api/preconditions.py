"""What a write depends on: the record as its caller last saw it (RFC 9110 13, spec 7.5)."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request

from calendar_events.api import conditional, responses
from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.models.visibility import Viewer
from calendar_events.parsing import dates
from calendar_events.serializers import bodies
from calendar_events.services.changes import InTrash
from platform_errors.errors import writes

AnyRow = Event | Venue | Organizer | Term


def require_met(request: Request, record: AnyRow, *, viewer: Viewer) -> None:
    """Hold the preconditions of a write against the stored record.

    Compared with the record as this caller would GET it without ``_fields`` (decisions 6).
    Raises ``PreconditionFailed``, and ``DoesNotExist`` of a term that is gone.
    """
    if conditional.PRECONDITIONS & request.META.keys():
        version, _ = responses.described(record, viewer=viewer)
        conditional.not_modified(request, version)


def checked_body(
    request: Request,
    record: AnyRow,
    viewer: Viewer,
    *,
    lists: Iterable[str],
) -> dict[str, Any]:
    """Return the body of a change once nothing stands in the way of reading it.

    ``lists`` names the fields of which a form may hold several under one name.

    Raises ``InTrash``, ``PreconditionFailed``, ``Conflict`` and what ``read`` raises.
    """
    in_trash = getattr(record, "status", "") == Status.TRASH
    if not in_trash:
        require_met(request, record, viewer=viewer)
    body = bodies.read(request, lists=lists)
    if in_trash:
        if not str(body.get("status") or "").strip():
            raise InTrash(str(record))
        require_met(request, record, viewer=viewer)
    require_unchanged(record, body)
    return body


def require_unchanged(record: AnyRow, body: Mapping[str, Any]) -> None:
    """Require that the body was made of the stored copy (spec 7.5: 409).

    Raises ``Conflict``.
    """
    claimed = claimed_moment(body)
    if claimed is not None and claimed != record.modified_at.replace(microsecond=0):
        raise writes.Conflict(
            f"the record was modified at {record.modified_at:%Y-%m-%d %H:%M:%S} UTC"
        )


def claimed_moment(body: Mapping[str, Any]) -> datetime | None:
    """Return the ``modified_utc`` of a body, if it is a date; else the body is refused."""
    value = body.get("modified_utc")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        return dates.parse(value, now=timezone.now(), zone=UTC).utc
    except dates.DateError:
        return None


def expected_version(
    request: Request,
    record: AnyRow,
    body: Mapping[str, Any] | None = None,
) -> int | None:
    """Return the version that must still be stored when the write happens.

    Only when the caller named one; without, changes are merged into what is there then.
    """
    is_conditional = bool(conditional.PRECONDITIONS & request.META.keys())
    if is_conditional or claimed_moment(body or {}) is not None:
        return record.version
    return None
