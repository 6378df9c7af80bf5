"""What a read must know before anything else, in one statement.

How many writes there have been and which scheduled records time has published since: as
long as neither changes, no list changes (the entity tag of a list rests on that). And what
the acting user is permitted, so that a signed list costs no round trip more.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from calendar_events.models.visibility import LISTED
from calendar_events.roles import EDITOR, RECORDS
from calendar_events.store import sql
from calendar_events.store.sql import text_of

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

_LISTED = text_of(LISTED, "e")
_WRITES = f"""
SELECT 'writes' AS kind, CAST(COALESCE(SUM(number), 0) AS varchar(40)) AS value
FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01'
UNION ALL
SELECT 'scheduled', CAST(MIN(published_at) AS varchar(40)) FROM calendar_events_event e
WHERE {_LISTED} AND published_at > %s
UNION ALL
SELECT 'end', CAST(MAX(end_utc) AS varchar(40)) FROM calendar_events_event e
WHERE {_LISTED}
UNION ALL
SELECT 'event', CAST(MAX(published_at) AS varchar(40)) FROM calendar_events_event e
WHERE {_LISTED} AND published_at <= %s
UNION ALL
SELECT 'venue', CAST(MAX(published_at) AS varchar(40)) FROM calendar_events_venue
WHERE published_at <= %s
UNION ALL
SELECT 'organizer', CAST(MAX(published_at) AS varchar(40)) FROM calendar_events_organizer
WHERE published_at <= %s
"""
# What the user has comes first: asked of each permission in turn it took five times
# longer.
_PERMISSIONS = """
SELECT 'permission', p.codename FROM {permission} p
JOIN {content_type} c ON c.id = p.content_type_id
WHERE c.app_label = 'calendar_events' AND p.codename IN ({codenames}) AND p.id IN (
    SELECT up.permission_id FROM {user_permission} up WHERE up.{permission_user} = %s
    UNION ALL
    SELECT gp.permission_id FROM {group_permission} gp
    JOIN {user_group} ug ON ug.group_id = gp.group_id WHERE ug.{group_user} = %s)
"""

READING = frozenset(
    f"{verb}_{record}"
    for verb in ("change", "change_others", "read_unpublished")
    for record in RECORDS
)
"""The permissions that decide what is seen."""

HELD = frozenset(EDITOR)
"""Every permission that anything is asked for: an editor may do all there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The calendar's state, and the acting user's permissions in it."""

    fingerprint: str
    """Changes with every write and with every record that time publishes."""
    has_scheduled: bool
    """Whether time has yet to publish an event."""
    last_end: datetime
    """When the last of all listed events ends."""
    permissions: frozenset[str]
    """Those of ``READING`` that the user holds; none when nobody acts."""


def permissions_of(user: AbstractBaseUser) -> frozenset[str]:
    """Return all of this app's permissions that ``ModelBackend`` would find, at once."""
    if getattr(user, "is_superuser", False):
        return HELD
    rows = sql.rows(_permissions_statement(HELD), [user.pk, user.pk])
    return frozenset(codename for _, codename in rows)


@cache
def _permissions_statement(codenames: frozenset[str]) -> str:
    user = get_user_model()
    # Typed as Any: which model it is, and what its columns are called, is a setting.
    permissions: Any = user._meta.get_field("user_permissions")
    groups: Any = user._meta.get_field("groups")
    return _PERMISSIONS.format(
        codenames=", ".join(f"'{codename}'" for codename in sorted(codenames)),
        permission=Permission._meta.db_table,
        content_type=ContentType._meta.db_table,
        user_permission=permissions.m2m_db_table(),
        permission_user=permissions.m2m_column_name(),
        user_group=groups.m2m_db_table(),
        group_user=groups.m2m_column_name(),
        group_permission=Group.permissions.through._meta.db_table,
    )


def read(*, now: datetime, user: AbstractBaseUser | None = None) -> State:
    """Return the state, for a user with the permissions ``ModelBackend`` would find."""
    moment = sql.moment(now)
    statement, params = _WRITES, [moment] * 4
    if user is not None:
        statement += f" UNION ALL {_permissions_statement(READING)}"
        params += [user.pk, user.pk]
    rows = sql.rows(statement, params)
    permissions = frozenset(text for kind, text in rows if kind == "permission")
    if user is not None and getattr(user, "is_superuser", False):
        permissions = READING
    known = {kind: text for kind, text in rows if kind != "permission"}
    scheduled, last_end = known.pop("scheduled"), known.pop("end")
    return State(
        fingerprint="|".join(f"{kind}={text}" for kind, text in sorted(known.items())),
        has_scheduled=scheduled is not None,
        last_end=sql.as_moment(last_end) or datetime.min.replace(tzinfo=UTC),
        permissions=permissions,
    )
