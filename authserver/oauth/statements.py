"""What an exchange redeems, found and used up by fixed statements.

They go around the ORM, which puts a statement together anew each time: of an exchange's
3.8 ms in the application it took 1.0 to find the code with its owner and 0.5 to redeem it,
and takes 0.2 and 0.1 like this (docs/decisions/0004). What is stored goes through the
models: most of those columns are the toolkit's, and a version of it may add some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import UUID

from django.db import connections, router

from authserver.models import Grant, Institution, RefreshToken, User
from platform_errors.postgresql import prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from django.db.models import Model

    AnyModel = TypeVar("AnyModel", bound=Model)
    Redeemable = TypeVar("Redeemable", Grant, RefreshToken)

# ruff: noqa: S608 -- names of tables and columns are formatted in, values are parameters

_WANTED: Final[dict[type[Model], set[str]]] = {
    Grant: {
        *("id", "application_id", "institution_id", "user_id", "token_family", "scope"),
        *("expires", "redeemed_at", "redirect_uri"),
        *("code_challenge", "code_challenge_method"),
    },
    RefreshToken: {
        *("id", "application_id", "institution_id", "user_id", "token_family", "scope"),
        *("expires_at", "revoked"),
    },
    User: {
        *("id", "login", "is_active", "institution_id"),
        *("principal_id", "principal_namespace"),
    },
    Institution: {"id", "registry_id"},
}
# In the order that ``Model.from_db`` expects.
_COLUMNS: Final[dict[type[Model], list[str]]] = {
    model: [
        field.attname for field in model._meta.concrete_fields if field.attname in wanted
    ]
    for model, wanted in _WANTED.items()
}
_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(
        ("expires", "expires_at", "redeemed_at", "revoked"), prepared.as_moment
    ),
    # SQLite has neither type.
    "token_family": lambda value: UUID(value) if isinstance(value, str) else value,
    "is_active": bool,
}


def _lookup(model: type[Model], column_of_digest: str) -> str:
    columns = [
        f"{table}.{column}"
        for table, owner in (("t", model), ("u", User), ("i", Institution))
        for column in _COLUMNS[owner]
    ]
    return f"""
        SELECT {", ".join(columns)} FROM {model._meta.db_table} t
        JOIN {User._meta.db_table} u ON u.id = t.user_id
        JOIN {Institution._meta.db_table} i ON i.id = t.institution_id
        WHERE t.{column_of_digest} = %s"""


_FIND_GRANT: Final = _lookup(Grant, "code")
_FIND_REFRESH_TOKEN: Final = _lookup(RefreshToken, "token_checksum")
_REDEEM: Final = f"""
    UPDATE {Grant._meta.db_table} SET redeemed_at = %s
    WHERE id = %s AND redeemed_at IS NULL AND code_challenge = %s RETURNING id"""
_USE_UP: Final = f"""
    UPDATE {RefreshToken._meta.db_table} SET revoked = %s
    WHERE id = %s AND revoked IS NULL RETURNING id"""


def find_grant(digest: str) -> Grant | None:
    """Return the grant of a code with its user and institution."""
    return _find(Grant, _FIND_GRANT, digest)


def find_refresh_token(digest: str) -> RefreshToken | None:
    """Return a refresh token with its user and institution."""
    return _find(RefreshToken, _FIND_REFRESH_TOKEN, digest)


def redeem(grant: Grant, *, challenge: str, at: datetime) -> bool:
    """Redeem a code; ``False`` for another challenge, or when that was done already."""
    return _is_first(Grant, _REDEEM, at, grant.pk, challenge)


def use_up(token: RefreshToken, *, at: datetime) -> bool:
    """Use a refresh token up; ``False`` when that was done already."""
    return _is_first(RefreshToken, _USE_UP, at, token.pk)


def _find(model: type[Redeemable], statement: str, digest: str) -> Redeemable | None:
    alias = router.db_for_read(model)
    rows = prepared.read_rows(connections[alias], statement, [digest])
    if not rows:
        return None
    values = iter(rows[0])
    found = _instance(model, alias, values)
    found.user = _instance(User, alias, values)
    found.institution = _instance(Institution, alias, values)
    return found


def _instance(model: type[AnyModel], alias: str, values: Iterator[Any]) -> AnyModel:
    """Make a model of the next values, as a QuerySet does with ``only()``."""
    columns = _COLUMNS[model]
    read = [
        _READERS[column](value) if column in _READERS else value
        for column, value in zip(columns, values, strict=False)
    ]
    return model.from_db(alias, columns, read)


def _is_first(
    model: type[Model], statement: str, at: datetime, *parameters: int | str
) -> bool:
    """Return whether a conditional ``UPDATE`` found its row."""
    connection = connections[router.db_for_write(model)]
    adapted = connection.ops.adapt_datetimefield_value(at)
    return bool(prepared.fetch_rows(connection, statement, [adapted, *parameters]))
