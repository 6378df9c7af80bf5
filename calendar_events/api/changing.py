"""The steps of a write that do not depend on what is written."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from calendar_events.api import conditional, responses
from calendar_events.filters import reading
from calendar_events.models import Status
from calendar_events.models.visibility import Viewer
from calendar_events.parsing import dates
from calendar_events.parsing.values import Unreadable
from calendar_events.permissions import Actor
from calendar_events.serializers import bodies
from calendar_events.services.refusals import InTrash
from calendar_events.store import list_version
from platform_errors import exceptions
from platform_errors.permissions import (
    require_credentials,
    require_institution,
    require_user,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime, tzinfo

    from rest_framework.request import Request

    from calendar_events.models import Event, Organizer, Term, Venue


def actor_of(request: Request) -> Actor:
    """Return who writes, and where (decisions 2).

    Raises what ``platform_errors.permissions`` raises when nobody may.
    """
    credentials = require_credentials(request)
    institution = require_institution(credentials)
    principal = require_user(credentials)
    return Actor(
        user=principal.user,
        institution=institution,
        client_id=credentials.key.client_id,
        permissions=list_version.permissions_of(principal.user),
    )


def viewer_of(actor: Actor) -> Viewer:
    """Return who writes as somebody who looks at the answer."""
    return Viewer(
        institution=actor.institution,
        user_id=actor.user.pk,
        permissions=(actor.permissions or frozenset()) & list_version.READING,
    )


def is_forced(request: Request) -> bool:
    """Return whether ``force`` asks for a deletion for good."""
    given = request.query_params.get("force", "")
    if not given:
        return False
    try:
        return reading.boolean(given)
    except Unreadable as error:
        raise exceptions.InvalidParameters({"force": str(error)}) from error


def input_zone(request: Request) -> tzinfo | None:
    """Return the zone in which the query's ``tz`` wants naive dates to be read."""
    given = request.query_params.get("tz", "")
    if not given:
        return None
    try:
        return reading.zone(given)
    except Unreadable as error:
        raise exceptions.InvalidParameters({"tz": str(error)}) from error


def checked_body(
    request: Request,
    record: Event | Venue | Organizer | Term,
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
        responses.check_preconditions(request, record, viewer=viewer)
    body = bodies.read(request, lists=lists)
    if in_trash:
        if not str(body.get("status") or "").strip():
            raise InTrash(str(record))
        responses.check_preconditions(request, record, viewer=viewer)
    require_unchanged(record, body)
    return body


def require_unchanged(
    record: Event | Venue | Organizer | Term, body: Mapping[str, Any]
) -> None:
    """Ask that the body was made of the stored copy (spec 7.5, 409).

    Raises ``Conflict``.
    """
    claimed = claimed_moment(body)
    if claimed is not None and claimed != record.modified_at.replace(microsecond=0):
        raise exceptions.Conflict(
            f"the record was modified at {record.modified_at:%Y-%m-%d %H:%M:%S} UTC"
        )


def claimed_moment(body: Mapping[str, Any]) -> datetime | None:
    """Return the ``modified_utc`` of a body, if it is a date; else the body is refused."""
    given = body.get("modified_utc")
    if isinstance(given, bool) or not isinstance(given, str | int):
        return None
    try:
        return dates.parse(given, now=timezone.now(), zone=UTC).utc
    except dates.DateError:
        return None


def expected_version(
    request: Request,
    record: Event | Venue | Organizer | Term,
    body: Mapping[str, Any] | None = None,
) -> int | None:
    """Return the version that must still be stored when the write happens.

    Only when the caller named one; without, changes are merged into what is there then.
    """
    is_conditional = bool(conditional.PRECONDITIONS & request.META.keys())
    if is_conditional or claimed_moment(body or {}) is not None:
        return record.version
    return None
