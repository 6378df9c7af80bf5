"""What is sent: the JSON of a message, small and without anything that was not asked for.

It says which record changed, and not how it looks: the receiver reads it by ``url`` with
its own credentials, and gets the newest version however late the message comes.
"""

from datetime import UTC, datetime
from typing import Any

import orjson

from calendar_events.conf import conf
from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.models.kinds import kind_for
from calendar_events.models.webhooks import TEST_TYPE


def about(  # noqa: PLR0913 -- the members of a message
    subscription: WebhookSubscription,
    *,
    kind: str,
    action: str,
    record: int,
    version: int,
    institution: str,
    at: datetime,
    now: datetime,
    change: int | None,
) -> WebhookDelivery:
    """Return an unsaved message about a record."""
    name = f"{kind}.{action}"
    data = {
        "id": record,
        "institution": institution,
        "version": version,
        "url": f"{conf.root_url}/{kind_for(kind).plural}/{record}",
    }
    return _delivery(
        subscription,
        name,
        data,
        at=at,
        now=now,
        kind=kind,
        record=record,
        change=change,
    )


def test(subscription: WebhookSubscription, *, now: datetime) -> WebhookDelivery:
    """Return an unsaved message that only shows that messages arrive."""
    data = {"subscription": subscription.pk}
    return _delivery(subscription, TEST_TYPE, data, at=now, now=now)


def _delivery(
    subscription: WebhookSubscription,
    name: str,
    data: dict[str, Any],
    *,
    at: datetime,
    now: datetime,
    **columns: Any,
) -> WebhookDelivery:
    body = {"type": name, "timestamp": _text(at), "data": data}
    return WebhookDelivery(
        subscription=subscription,
        type=name,
        payload=orjson.dumps(body).decode(),
        created_at=now,
        next_attempt_at=now,
        **columns,
    )


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
