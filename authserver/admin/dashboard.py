"""What the first page of admin says of keys, logins and refusals."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from authserver.models import AuditEvent, KeyRefusal, ServiceKey
from authserver.models.service_key import Status
from institution_admin.dashboard import ROWS, Block, Chart, Row

Action = AuditEvent.Action
DAYS = 7
SOON = timedelta(days=30)
NEWEST = 5_000
"""Entries of the audit record that are read, however many there are."""
LOGINS = frozenset({Action.LOGIN_FAILED, Action.LOGIN_LOCKED})
REFUSALS = frozenset(
    {Action.CLIENT_REFUSED, Action.TOKEN_REFUSED, Action.CODE_REPLAYED}
    | {Action.CODE_BURNED, Action.REFRESH_REPLAYED}
)
COLUMNS = ("at", "action", "subject", "client_id", "reason")


def expiring_keys(keys: QuerySet[ServiceKey]) -> Block:
    """Return active keys that end within 30 days or have ended within the last 30."""
    now = timezone.now()
    ending = keys.filter(
        status=Status.ACTIVE, expires_at__gt=now - SOON, expires_at__lte=now + SOON
    )
    rows = [
        Row(
            str(key),
            f"{'expired' if key.is_expired(now) else 'expires'} {key.expires_at:%d %B %Y}",
            reverse("admin:authserver_servicekey_change", args=[key.pk]),
        )
        for key in ending.order_by("expires_at", "pk")[:ROWS]
    ]
    page = reverse("admin:authserver_servicekey_changelist")
    return Block("Keys that expire", rows, f"{page}?expires=30", "30 days back and ahead")


def audit_blocks(events: QuerySet[AuditEvent]) -> list[Block]:
    """Return what the newest entries say of logins, of keys and of reasons.

    One statement reads a bounded number of them by an index; where they do not reach back
    seven days, the blocks say since when they count.
    """
    now = timezone.now()
    since = now - timedelta(days=DAYS)
    newest = list(events.order_by("-id").values_list(*COLUMNS, named=True)[:NEWEST])
    if len(newest) == NEWEST and newest[-1].at > since:
        since = newest[-1].at
    recent = [event for event in newest if event.at >= since]
    note = f"since {since:%d %B, %H:%M} UTC"
    page = reverse("admin:authserver_auditevent_changelist")
    logins = [event for event in recent if event.action in LOGINS]
    refusals = [event for event in recent if event.action in REFUSALS]
    return [
        Block(
            "Failed logins",
            _most(logins, now, page, "subject"),
            _with(page, action__exact=Action.LOGIN_FAILED),
            note,
            _chart(logins, now),
        ),
        Block(
            "Keys that fail",
            _most(refusals, now, page, "client_id"),
            _with(page, action__exact=Action.CLIENT_REFUSED),
            note,
        ),
        Block(
            "Refusals by reason",
            _most([*logins, *refusals], now, page, "reason"),
            page,
            note,
        ),
    ]


def refusal_blocks(refusals: QuerySet[KeyRefusal]) -> list[Block]:
    """Return of which keys requests were refused lately, and why.

    Of each key a few are kept (``keys.activity``), so these are no counts of all.
    """
    now = timezone.now()
    recent = list(
        refusals.filter(at__gt=now - timedelta(days=DAYS))
        .order_by("-at")
        .values_list("at", "key__client_id", "reason", named=True)[:NEWEST]
    )
    page = reverse("admin:authserver_keyrefusal_changelist")
    note = "of each key the last few are kept"
    return [
        Block(title, _most(recent, now, page, name, of=column), page, note)
        for title, name, column in (
            ("Refused requests by key", "q", "key__client_id"),
            ("Refused requests by reason", "reason", "reason"),
        )
    ]


def _most(
    events: Iterable[Any], now: datetime, page: str, name: str, *, of: str = ""
) -> list[Row]:
    """Return the names that occur most, each with its days and its rows on a page.

    ``name`` is the filter of the page that keeps those rows, and the column unless ``of``
    is.
    """
    named = [(text, event) for event in events if (text := getattr(event, of or name))]
    counts = Counter(each for each, _ in named)
    return [
        Row(
            text,
            f"{number:,}",
            _with(page, **{name: text}),
            _chart([event for each, event in named if each == text], now),
        )
        for text, number in counts.most_common(ROWS)
    ]


def _chart(events: Iterable[Any], now: datetime) -> Chart:
    counts: Counter[date] = Counter(event.at.date() for event in events)
    days = [now.date() - timedelta(days=back) for back in range(DAYS, -1, -1)]
    return Chart([(f"{day:%a} {day.day}", counts[day]) for day in days])


def _with(page: str, **query: str) -> str:
    return f"{page}?{urlencode(query)}"
