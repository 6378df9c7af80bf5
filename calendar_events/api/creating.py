"""Create once: with an ``Idempotency-Key`` a create that is repeated is only answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse

from calendar_events.api import conditional, fieldsets, idempotency, responses
from calendar_events.api.attempts import until_done
from calendar_events.services.images import delete_files_on_rollback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from django.http.response import HttpResponseBase
    from rest_framework.request import Request
    from rest_framework.response import Response

    from calendar_events.api.idempotency import Claim
    from calendar_events.permissions import Actor

KEPT_HEADERS = ("Location", "ETag", "Last-Modified")


def answer(
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
                idempotency.keep(claim, _kept(request, response))
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


def _kept(request: Request, response: Response) -> idempotency.Answer:
    """Return what is kept of an answer, which is yet to be cut to ``_fields``."""
    return idempotency.Answer(
        status=response.status_code,
        headers={name: response[name] for name in KEPT_HEADERS if name in response},
        text=fieldsets.cut(response.data, fieldsets.wanted(request.GET)).decode(),
    )


def _repeated(earlier: idempotency.Answer) -> HttpResponse:
    """Return a kept answer."""
    response = HttpResponse(
        earlier.text,
        status=earlier.status,
        headers=earlier.headers,
        content_type=responses.JSON,
    )
    conditional.add_cache_headers(response, is_private=True)
    return response
