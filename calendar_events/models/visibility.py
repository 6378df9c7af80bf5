"""Visibility rules (decisions 2, decisions 7): declared once, for rows and for SQL.

Everybody sees what is published. A user sees, in the institution of the credentials, also
their own records, and with ``read_unpublished_…`` everybody's. The trash is seen only by
asking for it.

A *rule* is data: any of its alternatives must hold, and every condition of that one.
``is_met_by`` asks it of a row in hand, ``as_q`` of a QuerySet, ``store.sql`` of a
statement.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from hmac import compare_digest
from typing import Any, Final, NamedTuple

from django.db import models
from django.db.models import Q, TextChoices, Value


class Taxonomy(models.TextChoices):
    """The two kinds of term, by the names of the wire (``taxonomy``)."""

    CATEGORY = "tribe_events_cat", "Category"
    TAG = "post_tag", "Tag"


class Status(TextChoices):
    """The statuses of the wire (decisions 7).

    ``future`` is never stored: it is ``publish`` with a publication moment that has not
    come, so that time publishes a record without anybody writing to it.
    """

    PUBLISH = "publish", "Published"
    FUTURE = "future", "Scheduled"
    DRAFT = "draft", "Draft"
    PENDING = "pending", "Pending review"
    PRIVATE = "private", "Private"
    TRASH = "trash", "Trash"


EVENT, VENUE, ORGANIZER = "event", "venue", "organizer"

_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<=": operator.le,
    ">": operator.gt,
}
_LOOKUPS: Final = {"=": "", "<=": "__lte", ">": "__gt"}


class Condition(NamedTuple):
    """A column compared with a value; a column that is empty fulfils nothing."""

    column: str
    operator: str
    """``=``, ``<>``, ``<=`` or ``>``."""
    value: Any


Alternative = tuple[Condition, ...]
Rule = tuple[Alternative, ...]

_NOT_HIDDEN: Final = Condition("hide_from_listings", "=", False)
_PUBLISHED: Final = Condition("status", "=", Status.PUBLISH.value)
_UNPUBLISHED: Final = Condition("status", "<>", Status.PUBLISH.value)
LISTED: Final[Alternative] = (_NOT_HIDDEN, _PUBLISHED)
"""Events that lists may show once their publication moment has come."""
NOT_IN_TRASH: Final = Condition("status", "<>", Status.TRASH.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The facts that decide about visibility; a part of every entity tag (decisions 6)."""

    institution: str = ""
    user_id: int | None = None
    permissions: frozenset[str] = frozenset()

    @property
    def is_user(self) -> bool:
        """Whether somebody acts who can have unpublished content."""
        return self.user_id is not None and bool(self.institution)

    def can(self, verb: str, kind: str) -> bool:
        """Return whether the permission ``{verb}_{kind}`` is held."""
        return f"{verb}_{kind}" in self.permissions

    def sees_statuses(self, kind: str) -> bool:
        """Return whether lists show and accept statuses other than ``publish``."""
        return self.is_user and self.can("change", kind)

    @property
    def key(self) -> str:
        """Return the part of an entity tag that tells viewers apart."""
        if not self.is_user:
            return ""
        return f"{self.institution}/{self.user_id}/{','.join(sorted(self.permissions))}"


ANONYMOUS: Final = Viewer()


def published_by(now: datetime) -> Condition:
    return Condition("published_at", "<=", now)


def scheduled_after(now: datetime) -> Condition:
    return Condition("published_at", ">", now)


def public(now: datetime) -> Rule:
    """Return the rule for what anybody may read at ``now``."""
    return ((_PUBLISHED, published_by(now)),)


def scheduled(now: datetime) -> Rule:
    """Return the rule for what time has yet to publish: its status is ``future``."""
    return ((_PUBLISHED, scheduled_after(now)),)


def own(viewer: Viewer, kind: str) -> Rule:
    """Return the rule for what is the viewer's to see, trash and all."""
    if not viewer.is_user:
        return ()
    conditions = [Condition("institution", "=", viewer.institution)]
    if not viewer.can("read_unpublished", kind):
        conditions.append(Condition("author_id", "=", viewer.user_id))
    return (tuple(conditions),)


def visible(viewer: Viewer, kind: str, now: datetime) -> Rule:
    """Return the rule for what the viewer may read, the trash left out."""
    return public(now) + restricted(own(viewer, kind), (NOT_IN_TRASH,))


def dated(viewer: Viewer, now: datetime) -> Rule:
    """Return the rule for the dates that a series shows: hidden ones to their own alone."""
    everybody = restricted(public(now), _shown(EVENT))
    return everybody + restricted(own(viewer, EVENT), (NOT_IN_TRASH,))


def listed(
    viewer: Viewer, kind: str, now: datetime, statuses: frozenset[str] | None = None
) -> Rule:
    """Return the rule for what lists show; without ``statuses`` all but the trash."""
    chosen = _statuses(viewer, kind) if statuses is None else statuses
    everybody = public(now) if Status.PUBLISH in chosen else ()
    return restricted(everybody, _shown(kind)) + beyond(viewer, kind, now, chosen)


def beyond(
    viewer: Viewer, kind: str, now: datetime, statuses: frozenset[str] | None = None
) -> Rule:
    """Return the rule for what lists show this viewer and not everybody.

    No row fulfils two of its alternatives.
    """
    chosen = _statuses(viewer, kind) if statuses is None else statuses
    mine = restricted(own(viewer, kind), _shown(kind))
    rule = restricted(mine, scheduled(now)[0]) if Status.FUTURE in chosen else ()
    for status in sorted(chosen - {Status.PUBLISH, Status.FUTURE}):
        # Both, because an index over what is not published has its condition so.
        rule += restricted(mine, (_UNPUBLISHED, Condition("status", "=", str(status))))
    return rule


def _statuses(viewer: Viewer, kind: str) -> frozenset[str]:
    if viewer.sees_statuses(kind):
        return frozenset(Status.values) - {Status.TRASH}
    return frozenset({Status.PUBLISH})


def _shown(kind: str) -> Alternative:
    return (_NOT_HIDDEN,) if kind == EVENT else ()


def restricted(rule: Rule, conditions: Alternative) -> Rule:
    return tuple(alternative + conditions for alternative in rule)


def password_matches(password: str, attempt: str) -> bool:
    """Return whether what is given shows what a password protects, in constant time."""
    return not password or compare_digest(password.encode(), attempt.encode())


def sees_online_address(viewer: Viewer, event: Any, now: datetime) -> bool:
    """Return whether a viewer of an event may see where it is online.

    Who may change the event sees it in any case.
    """
    is_own = viewer.is_user and viewer.institution == event.institution
    if is_own and viewer.can("change_others", EVENT):
        return True
    if is_own and viewer.can("change", EVENT) and event.author_id == viewer.user_id:
        return True
    if event.online_from is not None and event.online_from > now:
        return False
    return event.online_audience == "everybody" or is_own


def is_met_by(rule: Rule, row: Any) -> bool:
    """Return whether a row in hand fulfils a rule; moments must be aware datetimes."""
    return any(all(_is_met(one, row) for one in alternative) for alternative in rule)


def _is_met(condition: Condition, row: Any) -> bool:
    value = getattr(row, condition.column)
    if value is None or condition.value is None:
        return False
    return bool(_COMPARE[condition.operator](value, condition.value))


def as_q(rule: Rule, prefix: str = "") -> Q:
    """Return a rule for ``QuerySet.filter``; ``prefix`` leads to the rows (``event__``)."""
    alternatives = [
        reduce(operator.and_, (_as_q(one, prefix) for one in alternative))
        for alternative in rule
    ]
    return reduce(operator.or_, alternatives) if alternatives else Q(pk__in=[])


def _as_q(condition: Condition, prefix: str) -> Q:
    name, value = f"{prefix}{condition.column}", condition.value
    if condition.column == "status":
        value = Literal(value)
    if condition.operator == "<>":
        return ~Q(**{name: value})
    return Q(**{f"{name}{_LOOKUPS[condition.operator]}": value})


class Literal(Value):
    """A word written into a statement, so that a kept plan can use a partial index."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str, ...]]:
        """Return it between quotation marks. Raises ``ValueError`` unless it is a word."""
        if not str(self.value).isalpha():
            raise ValueError("only words are written into statements")
        return f"'{self.value}'", ()
