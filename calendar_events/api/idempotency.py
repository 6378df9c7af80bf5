"""Repeat the first answer to a create that carries an ``Idempotency-Key`` (decisions 7).

The key is taken, the record created and the answer kept in one transaction. Of two that
run at once the second waits at the unique constraint and then finds the first one's answer;
a refusal or a crash leaves nothing behind. Answers are rows, so a restart forgets none.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api import conditional, renderers, responses
from calendar_events.conf import conf
from calendar_events.models import IdempotentAnswer
from calendar_events.permissions import Actor

VISIBLE = re.compile(r"[\x21-\x7e]{1,255}")
KEPT_HEADERS = ("Location", "ETag", "Last-Modified")
"""Of the answer to a create, which is repeated to who asks again."""
SWEPT_AT_ONCE = 100
"""The most expired answers that a new one deletes."""


class KeyUnreadable(Exception):
    """The key is not 1 to 255 visible characters."""


class KeyReused(Exception):
    """The key came before, with another body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One create that must not happen twice: the key within (service key, user, path)."""

    client_id: str
    user_id: int
    path: str
    key: str
    body_hash: str

    @property
    def rows(self) -> QuerySet[IdempotentAnswer]:
        return IdempotentAnswer.objects.filter(
            client_id=self.client_id, user_id=self.user_id, path=self.path, key=self.key
        )


def claim(
    *, key: str, client_id: str, user_id: int, path: str, body: Mapping[str, Any]
) -> Claim:
    """Return the claim of a create. Raises ``KeyUnreadable``."""
    if not VISIBLE.fullmatch(key):
        raise KeyUnreadable("Idempotency-Key must be 1 to 255 visible characters.")
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return Claim(
        client_id=client_id,
        user_id=user_id,
        path=path,
        key=key,
        body_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def claim_of(request: Request, actor: Actor, body: Mapping[str, Any]) -> Claim | None:
    """Return the claim of a request that carries a key. Raises ``KeyUnreadable``."""
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    return claim(
        key=key,
        client_id=actor.client_id,
        user_id=actor.user.pk,
        path=request.path.rstrip("/"),
        body=body,
    )


def earlier_answer(claimed: Claim) -> IdempotentAnswer | None:
    """Return the answer that was given before.

    Raises ``KeyReused`` when it was the answer to another body.
    """
    row = claimed.rows.filter(created_at__gt=oldest(timezone.now())).first()
    if row is None or row.status is None:
        return None
    if row.body_hash != claimed.body_hash:
        raise KeyReused(f"Idempotency-Key {claimed.key} came with another body.")
    return row


def take(claimed: Claim) -> None:
    """Insert the row of the key, without an answer yet.

    Call it first in the transaction of the create. Raises ``IntegrityError`` when somebody
    else was faster; the answer can then be had from ``earlier_answer``.
    """
    now = timezone.now()
    outlived = IdempotentAnswer.objects.filter(created_at__lte=oldest(now))
    swept = list(outlived.values_list("pk", flat=True)[:SWEPT_AT_ONCE])
    expired = Q(pk__in=swept) | Q(pk__in=claimed.rows.values("pk"))
    outlived.filter(expired).delete()
    IdempotentAnswer.objects.create(**asdict(claimed), created_at=now)


def keep(claimed: Claim, *, status: int, headers: dict[str, str], answer: str) -> None:
    """Keep the answer for those who ask again, in the transaction of the create."""
    claimed.rows.update(status=status, headers=headers, answer=answer)


def keep_response(claimed: Claim, request: Request, response: Response) -> None:
    """Keep a response as it will be sent; it is yet to be cut to ``_fields``."""
    keep(
        claimed,
        status=response.status_code,
        headers={name: response[name] for name in KEPT_HEADERS if name in response},
        answer=renderers.cut(response.data, renderers.wanted_fields(request.GET)).decode(),
    )


def repeated(earlier: IdempotentAnswer) -> HttpResponse:
    """Return the answer that was given before."""
    response = HttpResponse(
        earlier.answer,
        status=earlier.status,
        headers=earlier.headers,
        content_type=responses.JSON,
    )
    conditional.add_cache_headers(response, is_private=True)
    return response


def oldest(now: datetime) -> datetime:
    """Return the moment before which answers are forgotten."""
    return now - timedelta(hours=conf.idempotency_hours)
