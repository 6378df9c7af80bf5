"""The steps of a write that do not depend on what is written."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.utils import timezone

from calendar_events.api import conditional, fieldsets, idempotency, responses
from calendar_events.api.attempts import until_done
from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.parsing import dates, slugs
from calendar_events.parsing.identifiers import identifier
from calendar_events.serializers import bodies
from calendar_events.services.images import delete_files_on_rollback
from calendar_events.services.refusals import InTrash
from calendar_events.store import naming
from platform_errors.errors import writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime

    from django.http.response import HttpResponseBase
    from rest_framework.request import Request
    from rest_framework.response import Response

    from calendar_events.api.idempotency import Claim
    from calendar_events.models import IdempotentAnswer
    from calendar_events.models.visibility import Viewer
    from calendar_events.permissions import Actor

AnyRecord = TypeVar("AnyRecord", bound=Event | Venue | Organizer)
Value = TypeVar("Value")
KEPT_HEADERS = ("Location", "ETag", "Last-Modified")
"""Of the answer to a create, which is repeated to who asks again."""


def query_value(request: Request, name: str, read: Callable[[str], Value]) -> Value | None:
    """Return a parameter of a write as ``read`` makes it of its text, if it was sent.

    Raises ``InvalidParameters`` where ``read`` raises ``ValidationError``.
    """
    given = request.query_params.get(name, "")
    if not given:
        return None
    try:
        return read(given)
    except ValidationError as error:
        raise writes.InvalidParameters({name: error.messages[0]}) from error


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


def created_once(
    request: Request,
    claim: Claim | None,
    *,
    read: Callable[[], Any],
    create: Callable[[Any], Response],
    atomic: Callable[[], AbstractContextManager[None]],
) -> HttpResponseBase:
    """Return the answer to a create, the first one if it was asked before.

    ``read`` reads the body and may take its time, over the network even; ``create`` then
    gets what it returned, inside the transaction, which ``atomic`` makes.

    Raises what they raise, and ``KeyReused``.
    """

    def once() -> HttpResponseBase:
        earlier = idempotency.earlier_answer(claim) if claim else None
        if earlier is not None:
            return _repeated(earlier)
        changes = read()
        with delete_files_on_rollback(), atomic():
            if claim:
                idempotency.take(claim)
            response = create(changes)
            if claim:
                idempotency.keep(
                    claim,
                    status=response.status_code,
                    headers={n: response[n] for n in KEPT_HEADERS if n in response},
                    # What is answered is yet to be cut to ``_fields``.
                    answer=fieldsets.cut(
                        response.data, fieldsets.wanted(request.GET)
                    ).decode(),
                )
        return response

    return until_done(once)


def claim_of(request: Request, actor: Actor, body: Mapping[str, Any]) -> Claim | None:
    """Return the claim of a request that carries a key. Raises ``KeyUnreadable``."""
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    return idempotency.claim(
        key=key,
        client_id=actor.client_id,
        user_id=actor.user.pk,
        path=request.path.rstrip("/"),
        body=body,
    )


def _repeated(earlier: IdempotentAnswer) -> HttpResponse:
    response = HttpResponse(
        earlier.answer,
        status=earlier.status,
        headers=earlier.headers,
        content_type=responses.JSON,
    )
    conditional.add_cache_headers(response, is_private=True)
    return response
