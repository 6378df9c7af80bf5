"""What may be forgotten, and when (``manage.py clear_expired``, and a few on the way)."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Exists, F, OuterRef, Q, Value
from django.db.models.functions import Least, Now
from django.dispatch import Signal
from django.utils import timezone

from authserver import audit
from authserver.conf import conf
from authserver.keys import secret_links
from authserver.models import (
    AccessToken,
    AuditEvent,
    Consent,
    Grant,
    KeyRefusal,
    PendingRequest,
    RefreshToken,
    RefusalCount,
    SecretLink,
    Session,
)

collect_expired = Signal()
"""Sent with ``now``; a receiver returns QuerySets of what else ``clear`` may delete."""

BATCH_SIZE = 5000
FEW = 5


def database_now() -> datetime:
    """Return PostgreSQL's time, or with SQLite this machine's, which is the only one."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


def purgeable(now: datetime) -> list[models.QuerySet[Any]]:
    """Return what no check can ask for any more, table by table.

    A used code or refresh token stays while anything that descends from it could live: its
    replay must still be recognised (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
    """
    family_lives = RefreshToken.objects.filter(
        token_family=OuterRef("token_family"), expires_at__gt=now
    )
    tokens_live = AccessToken.objects.filter(
        token_family=OuterRef("token_family"), expires__gt=now
    )
    return [
        PendingRequest.objects.filter(expires_at__lte=now),
        Grant.objects.filter(~Exists(family_lives), ~Exists(tokens_live), expires__lte=now),
        AccessToken.objects.filter(expires__lte=now),
        RefreshToken.objects.filter(expires_at__lte=now),
        Consent.objects.filter(Q(expires_at__lte=now) | Q(revoked_at__lte=now)),
        Session.objects.filter(expire_date__lte=now),
        RefusalCount.objects.filter(since__lte=now - conf.client_failure_window),
        # What was never opened says, as long as its secret is current, that nobody has it.
        SecretLink.objects.filter(
            ~Q(shown_at=None) | ~Q(key__secret_created_at=F("secret_created_at")),
            ended_at__lte=now - conf.secret_link_lifetime,
        ),
        KeyRefusal.objects.filter(at__lte=now - conf.key_refusal_lifetime),
        *_of_others(now),
    ]


def _of_others(now: datetime) -> list[models.QuerySet[Any]]:
    answers: list[tuple[Any, Any]] = collect_expired.send(None, now=now)
    return [rows for _, found in answers for rows in found]


def agreed_now() -> datetime:
    """Return this server's time, or the database's if that is earlier.

    A server whose clock is fast must not forget what the others still accept.
    """
    return min(timezone.now(), database_now())


def clear(now: datetime, *, batch_size: int = BATCH_SIZE) -> dict[str, int]:
    """Delete in batches, one transaction each; return the number by model.

    Small transactions keep the locks short: the command may run beside a busy server.
    """
    counts = {"links to secrets put on record": 0}
    while ended := secret_links.end_expired(now, at_most=batch_size):
        counts["links to secrets put on record"] += ended
    for rows in purgeable(now):
        name = str(rows.model._meta.verbose_name_plural)
        counts[name] = _delete(rows, batch_size)
    if conf.audit_lifetime > timedelta(0):
        old = AuditEvent.objects.filter(at__lte=now - conf.audit_lifetime)
        counts["audit events"] = _delete(old, batch_size, within=audit.pruning)
    return counts


def clear_few(now: datetime) -> None:
    """Delete a few expired pending requests and sessions, as a new request is kept.

    Anybody may begin a request, so the tables must not grow until the command comes round:
    more goes with each than it adds. Rows that another request is deleting are passed over.
    """
    earlier = Least(Value(now), Now())  # as ``agreed_now``
    kinds: list[tuple[models.QuerySet[Any], str]] = [
        (PendingRequest.objects.filter(expires_at__lte=earlier), "expires_at"),
        (Session.objects.filter(expire_date__lte=earlier), "expire_date"),
    ]
    for rows, moment in kinds:
        with transaction.atomic():
            oldest = rows.select_for_update(skip_locked=True).order_by(moment)
            keys = list(oldest.values_list("pk", flat=True)[:FEW])
            if keys:
                rows.model._base_manager.filter(pk__in=keys).delete()


def _delete(
    rows: models.QuerySet[Any],
    batch_size: int,
    *,
    within: Callable[[], AbstractContextManager[None]] = transaction.atomic,
) -> int:
    """Delete a batch at a time; return how many rows, without those of other tables."""
    label, total = rows.model._meta.label, 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:batch_size]):
        with within():
            batch = rows.model._base_manager.filter(pk__in=keys)
            total += batch.delete()[1].get(label, 0)
    return total
