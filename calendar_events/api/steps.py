"""The steps of a write that do not depend on what is written: which record, which copy."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.utils import timezone

from calendar_events.api import conditional, responses
from calendar_events.filters import reading
from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.parsing import dates, slugs
from calendar_events.parsing.identifiers import identifier
from calendar_events.parsing.values import Unreadable
from calendar_events.permissions import require_on
from calendar_events.serializers import bodies
from calendar_events.services import naming
from calendar_events.services.refusals import InTrash
from platform_errors.errors import writes
from platform_errors.permissions import require_credentials, require_same_institution

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime, tzinfo

    from rest_framework.request import Request

    from calendar_events.models import Taxonomy
    from calendar_events.models.visibility import Viewer
    from calendar_events.permissions import Actor

AnyRecord = TypeVar("AnyRecord", bound=Event | Venue | Organizer)


def is_forced(request: Request) -> bool:
    """Return whether ``force`` asks for a deletion for good."""
    given = request.query_params.get("force", "")
    if not given:
        return False
    try:
        return reading.boolean(given)
    except Unreadable as error:
        raise writes.InvalidParameters({"force": str(error)}) from error


def input_zone(request: Request) -> tzinfo | None:
    """Return the zone in which the query's ``tz`` wants naive dates to be read."""
    given = request.query_params.get("tz", "")
    if not given:
        return None
    try:
        return reading.zone(given)
    except Unreadable as error:
        raise writes.InvalidParameters({"tz": str(error)}) from error


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


def find_record(model: type[AnyRecord], address: Mapping[str, str]) -> AnyRecord:
    """Return the event, venue or organizer.

    A record in the trash is also found by the slug it had before, as long as nobody else
    took it: who deletes it twice, or restores it, uses the address that they know.

    Raises the model's ``DoesNotExist``.
    """
    if "pk" in address:
        return cast("AnyRecord", model.objects.get(pk=identifier(address["pk"])))
    slug = slugs.from_path(address["slug"])
    names = [name for name in (slug, naming.trashed(slug)) if name]
    rows = model.objects.filter(slug__in=names)
    found = {row.slug: row for row in rows}
    for name in names:
        if name in found:
            return cast("AnyRecord", found[name])
    raise model.DoesNotExist


def writable_record(
    request: Request,
    actor: Actor,
    verb: str,
    model: type[AnyRecord],
    address: Mapping[str, str],
) -> AnyRecord:
    """Return the record, which the actor may ``change`` or ``delete``.

    Raises what ``record``, ``require_same_institution`` and ``require_on`` raise.
    """
    found = find_record(model, address)
    require_same_institution(require_credentials(request), found.institution)
    require_on(actor, verb, found)
    return found


def own_term(request: Request, taxonomy: Taxonomy, address: Mapping[str, str]) -> Term:
    """Return the category or tag, which is of the institution of the credentials.

    Raises what ``term`` and ``require_same_institution`` raise.
    """
    found = term(taxonomy, address)
    require_same_institution(require_credentials(request), found.institution)
    return found


def term(taxonomy: Taxonomy, address: Mapping[str, str]) -> Term:
    """Return the category or tag. Raises ``Term.DoesNotExist``."""
    return Term.objects.get(taxonomy=taxonomy, pk=identifier(address["pk"]))
