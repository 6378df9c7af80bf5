"""The state of the calendar that every read depends on, in one statement.

How many writes there have been and which scheduled records time has published since: as
long as neither changes, no list changes (the entity tag of a list rests on that). And what
the acting user is permitted, so that a signed list costs no round trip more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.contrib.auth import get_permission_codename, get_user_model
from django.contrib.auth.models import AbstractBaseUser, Group, Permission
from django.contrib.contenttypes.models import ContentType

from calendar_events.models import Image, WebhookSubscription
from calendar_events.models.kinds import KINDS
from calendar_events.models.visibility import LISTED
from calendar_events.store import sql
from calendar_events.store.sql import text_of

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
SELECT 'online', CAST(MAX(online_from) AS varchar(40)) FROM calendar_events_event
WHERE online_from <= %s
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
SELECT 'permission', c.app_label || '.' || p.codename FROM {permission} p
JOIN {content_type} c ON c.id = p.content_type_id
WHERE c.app_label IN ({apps}) AND p.codename IN ({codenames}) AND p.id IN (
    SELECT up.permission_id FROM {user_permission} up WHERE up.{permission_user} = %s
    UNION ALL
    SELECT gp.permission_id FROM {group_permission} gp
    JOIN {user_group} ug ON ug.group_id = gp.group_id WHERE ug.{group_user} = %s)
"""

READING_VERBS = ("change", "change_others", "read_unpublished")


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
    """What the user holds of ``reading``, as ``Viewer`` has it; none when nobody acts."""


@cache
def writing() -> frozenset[str]:
    """Return every permission on the models of the calendar, named with its app."""
    names: set[str] = set()
    options: Any
    others = (Image._meta, WebhookSubscription._meta)
    for options in (*(kind.model._meta for kind in KINDS), *others):
        verbs = options.default_permissions
        codenames = [get_permission_codename(verb, options) for verb in verbs]
        codenames += [codename for codename, _ in options.permissions]
        names |= {f"{options.app_label}.{codename}" for codename in codenames}
    return frozenset(names)


@cache
def reading() -> frozenset[str]:
    """Return the permissions that decide what is seen, named with their app."""
    models = [kind.model._meta for kind in KINDS if not kind.taxonomy]
    return frozenset(
        f"{options.app_label}.{get_permission_codename(verb, options)}"
        for options in models
        for verb in READING_VERBS
    )


def as_viewers(permissions: frozenset[str]) -> frozenset[str]:
    """Return those of ``reading`` as a ``Viewer`` has them: without the app.

    No two types have the same name (``kinds.register``).
    """
    return frozenset(name.partition(".")[2] for name in permissions & reading())


def permissions_of(user: AbstractBaseUser) -> frozenset[str]:
    """Return what ``ModelBackend`` would find of ``writing``, at once."""
    if getattr(user, "is_superuser", False):
        return writing()
    rows = sql.rows(_permissions_statement(writing()), [user.pk, user.pk])
    return frozenset(name for _, name in rows) & writing()


@cache
def _permissions_statement(names: frozenset[str]) -> str:
    apps, codenames = zip(*(name.split(".") for name in sorted(names)), strict=True)
    user = get_user_model()
    # Typed as Any: which model it is, and what its columns are called, is a setting.
    permissions: Any = user._meta.get_field("user_permissions")
    groups: Any = user._meta.get_field("groups")
    return _PERMISSIONS.format(
        apps=_quoted(apps),
        codenames=_quoted(codenames),
        permission=Permission._meta.db_table,
        content_type=ContentType._meta.db_table,
        user_permission=permissions.m2m_db_table(),
        permission_user=permissions.m2m_column_name(),
        user_group=groups.m2m_db_table(),
        group_user=groups.m2m_column_name(),
        group_permission=Group.permissions.through._meta.db_table,
    )


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in dict.fromkeys(words))


def read(*, now: datetime, user: AbstractBaseUser | None = None) -> State:
    """Return the state, for a user with the permissions ``ModelBackend`` would find."""
    moment = sql.moment(now)
    statement, params = _WRITES, [moment] * 5
    if user is not None:
        statement += f" UNION ALL {_permissions_statement(reading())}"
        params += [user.pk, user.pk]
    rows = sql.rows(statement, params)
    permissions = frozenset(text for kind, text in rows if kind == "permission")
    if user is not None and getattr(user, "is_superuser", False):
        permissions = reading()
    known = {kind: text for kind, text in rows if kind != "permission"}
    scheduled, last_end = known.pop("scheduled"), known.pop("end")
    return State(
        fingerprint="|".join(f"{kind}={text}" for kind, text in sorted(known.items())),
        has_scheduled=scheduled is not None,
        last_end=sql.as_moment(last_end) or datetime.min.replace(tzinfo=UTC),
        permissions=as_viewers(permissions),
    )
