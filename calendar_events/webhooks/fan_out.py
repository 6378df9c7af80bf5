"""From the log of changes to messages: each subscription reads it at its own pace.

A write costs its row in the log and nothing more. Messages, and how far the log was read,
are written in one transaction, so a worker that dies here loses and repeats nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from calendar_events.models import Change, Status, WebhookDelivery, WebhookSubscription
from calendar_events.models.change import Position
from calendar_events.models.kinds import kind_for
from calendar_events.models.visibility import EVENT, ORGANIZER, VENUE
from calendar_events.store import changed
from calendar_events.webhooks import messages
from calendar_events.webhooks.audience import Audience, Key, action, states

BATCH: Final = 100
"""Rows of the log that are read at once."""
MOST_PENDING: Final = 1_000
"""Messages that wait for one receiver; the rest of the log waits where it is."""
LOOK: Final = timedelta(seconds=60)
"""So often, at least, records are looked for that time has published."""
PUBLISHED_BY_TIME: Final = (EVENT, VENUE, ORGANIZER)


def behind(now: datetime, *, after: int = 0, at_most: int) -> list[int]:
    """Return subscriptions that have something to read, behind one of them."""
    late = Q(published_until__lte=now - LOOK)
    newest = Change.objects.settled().order_by("-transaction", "-id").first()
    if newest is not None:
        here = Q(cursor_transaction=newest.transaction, cursor_change__lt=newest.pk)
        late |= here | Q(cursor_transaction__lt=newest.transaction)
    rows = WebhookSubscription.objects.active().filter(late, pk__gt=after).order_by("pk")
    return list(rows.values_list("pk", flat=True)[:at_most])


def read_on(pk: int, *, now: datetime) -> bool:
    """Make the next messages of a subscription; return whether there may be more."""
    with transaction.atomic():
        rows = WebhookSubscription.objects.active().filter(pk=pk)
        subscription = rows.select_for_update(skip_locked=True).first()
        if subscription is None or _is_full(subscription):
            return False
        cursor = Position(subscription.cursor_transaction, subscription.cursor_change)
        changes = list(Change.objects.after(cursor).settled().in_order()[:BATCH])
        audience = Audience(subscription, now)
        made = [*_published(audience, cursor), *_written(audience, changes)]
        WebhookDelivery.objects.bulk_create(made)
        # A database that was restored in another cluster begins at a lower count there.
        cursor = (
            changes[-1].position
            if changes
            else min(cursor, changed.beginning(now).position)
        )
        rows.update(
            cursor_transaction=cursor.transaction,
            cursor_change=cursor.id,
            published_until=now,
        )
        return len(changes) == BATCH


def _is_full(subscription: WebhookSubscription) -> bool:
    pending = WebhookDelivery.objects.pending().filter(subscription=subscription)
    return pending.order_by()[:MOST_PENDING].count() >= MOST_PENDING


def _written(audience: Audience, changes: Iterable[Any]) -> Iterator[WebhookDelivery]:
    """Yield a message for each change that the audience may know of and wants."""
    rows = [change for change in changes if change.kind in audience.kinds]
    wanted: dict[str, set[Key]] = defaultdict(set)
    for row in rows:
        wanted[row.kind] |= {(row.record, row.version), (row.record, row.version - 1)}
    known = {kind: states(kind, keys) for kind, keys in wanted.items()}
    for row in rows:
        found = known[row.kind]
        after = found.get((row.record, row.version))
        # What it embeds has changed; its own state is the same.
        before = after if row.embedded else found.get((row.record, row.version - 1))
        is_known = audience.knows(row.kind, after)
        yield from _message(
            audience,
            row.kind,
            after if is_known else before,
            action=action(was_known=audience.knows(row.kind, before), is_known=is_known),
            at=row.at,
            change=row,
        )


def _published(audience: Audience, cursor: Position) -> Iterator[WebhookDelivery]:
    """Yield a message for each record that time has published since the last look.

    Not for those whose write is still to be read in the log, as that tells it.
    """
    since = audience.subscription.published_until
    earlier = Audience(audience.subscription, since)
    for kind in audience.kinds.intersection(PUBLISHED_BY_TIME):
        unread = Change.objects.after(cursor).filter(
            kind=kind, record=OuterRef("pk"), embedded=False
        )
        model: Any = kind_for(kind).model
        rows = model.objects.filter(
            ~Exists(unread),
            status=Status.PUBLISH,
            published_at__gt=since,
            published_at__lte=audience.now,
        )
        keys = rows.order_by("published_at", "pk").values_list("pk", "version")
        for state in states(kind, keys).values():
            yield from _message(
                audience,
                kind,
                state,
                action=action(
                    was_known=earlier.knows(kind, state),
                    is_known=audience.knows(kind, state),
                ),
                at=state.published_at,
            )


def _message(  # noqa: PLR0913 -- a state of a record, and what is known of the change
    audience: Audience,
    kind: str,
    state: Any,
    *,
    action: str,
    at: datetime,
    change: Change | None = None,
) -> Iterator[WebhookDelivery]:
    if not action or not audience.wants(kind, action):
        return
    yield messages.about(
        audience.subscription,
        kind=kind,
        action=action,
        record=state.id,
        version=state.version if change is None else change.version,
        # Of what it must not know any more, what it knew is told.
        institution=state.institution,
        at=at,
        now=audience.now,
        change=None if change is None else change.pk,
    )
