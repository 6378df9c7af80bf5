"""Whether a subscription may know of a state of a record, and whether it wants to.

It is told of what lists show: everybody's published records, and of its own institution
also those in the other statuses that it asked for. A record that comes into what it may
know is created for it, one that leaves it deleted; of any other it hears nothing.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from calendar_events.conf import conf
from calendar_events.models import Status, Term, WebhookSubscription, visibility
from calendar_events.models.kinds import kind_for
from calendar_events.models.visibility import ANONYMOUS, EVENT, Rule, Viewer
from platform_errors.keys import get_key_store

Key = tuple[int, int]
"""Identifier and version."""
NOBODY: Final = 0
"""A subscription has what its institution's people may see, and nothing of its own."""
_COLUMNS: Final = ("id", "version", "history_type", "institution")
_RECORD_COLUMNS: Final = (*_COLUMNS, "author_id", "status", "published_at")
_EVENT_COLUMNS: Final = (*_RECORD_COLUMNS, "hide_from_listings", "password", "linked")
DELETION: Final = "-"


class Audience:
    """One subscription, as of one moment."""

    def __init__(self, subscription: WebhookSubscription, now: datetime) -> None:
        """Look up once what is the same for all records."""
        self.subscription = subscription
        self.now = now
        self.types = frozenset(subscription.types)
        self.kinds = frozenset(name.partition(".")[0] for name in self.types)
        wanted = subscription.categories
        self.categories: set[int] = (
            Term.objects.categories().with_descendants(wanted) if wanted else set()
        )
        self._rules: dict[str, Rule] = {}

    def wants(self, kind: str, action: str) -> bool:
        """Return whether it is to be told."""
        return f"{kind}.{action}" in self.types

    def knows(self, kind: str, state: Any) -> bool:
        """Return whether it may know of this state, and its filters let it through.

        A state is a row of the record's history, ``None`` where there was none.
        """
        if state is None or state.history_type == DELETION:
            return False
        only = self.subscription.only_institution
        if only and state.institution != only:
            return False
        if kind_for(kind).taxonomy:
            return True
        # What an event is in is among what its password protects.
        if kind == EVENT and self.categories:
            terms = [] if state.password else state.linked.get("terms", [])
            if self.categories.isdisjoint(terms):
                return False
        return visibility.is_met_by(self._rule(kind), state)

    def _rule(self, kind: str) -> Rule:
        if kind not in self._rules:
            statuses = frozenset(self.subscription.statuses)
            is_public = statuses == {Status.PUBLISH}
            viewer = ANONYMOUS if is_public else _institution(self.subscription, kind)
            self._rules[kind] = visibility.listed(viewer, kind, self.now, statuses)
        return self._rules[kind]


def action(*, was_known: bool, is_known: bool) -> str:
    """Return what a change is to a subscription; empty for nothing."""
    if is_known:
        return "updated" if was_known else "created"
    return "deleted" if was_known else ""


def has_access(subscription: WebhookSubscription, now: datetime) -> bool:
    """Return whether its service key has what it needs to subscribe.

    Raises ``SecretUnreadable``.
    """
    found = get_key_store().find_key(subscription.client_id)
    return (
        found is not None
        and found.key.status_at(now) == "active"
        and subscription.institution in found.key.institutions
        and not found.key.service_problems([conf.service], now)
    )


def states(kind: str, keys: Iterable[Key]) -> dict[Key, Any]:
    """Return what the history has of records at versions, in one statement."""
    wanted = set(keys)
    if not wanted:
        return {}
    ids, versions = ({key[index] for key in wanted} for index in (0, 1))
    model: Any = kind_for(kind).model
    columns = _COLUMNS if kind_for(kind).taxonomy else _RECORD_COLUMNS
    rows = model.history.filter(id__in=ids, version__in=versions).order_by("history_id")
    chosen = rows.only(*(_EVENT_COLUMNS if kind == EVENT else columns))
    found = {(row.id, row.version): row for row in chosen}
    return {key: row for key, row in found.items() if key in wanted}


def _institution(subscription: WebhookSubscription, kind: str) -> Viewer:
    """Return who sees all that is the subscription's institution's."""
    permissions = frozenset({f"read_unpublished_{kind}"})
    return Viewer(
        institution=subscription.institution, user_id=NOBODY, permissions=permissions
    )
