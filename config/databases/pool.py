"""The database behind ``DATABASE_POOL_URL``, as `manage.py serve` makes sure of it."""

import logging
from collections.abc import Mapping
from typing import Any, Final

import psycopg
from django.conf import settings
from django.core.management import CommandError
from django.db import DEFAULT_DB_ALIAS, ProgrammingError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from psycopg import sql

logger = logging.getLogger(__name__)

POOL_SECONDS: Final = 5
"""How long a pool is waited for that is compared with the database."""
ROLE_DEFAULTS: Final = """
SELECT unnest(setconfig) FROM pg_db_role_setting
JOIN pg_roles ON pg_roles.oid = setrole JOIN pg_database ON pg_database.oid = setdatabase
WHERE rolname = %s AND datname = current_database()
"""
IDENTITY: Final = "SELECT current_database(), pg_postmaster_start_time()"


def limit(database: BaseDatabaseWrapper, role: str) -> None:
    """Make the time limits of the settings defaults of the role that PgBouncer connects as.

    PgBouncer passes on no settings. Raises ``CommandError`` with the statements when this
    role may not alter that one.
    """
    with database.cursor() as cursor:
        cursor.execute(ROLE_DEFAULTS, [role])
        has = {row[0] for row in cursor.fetchall()}
        names = map(sql.Identifier, (role, database.settings_dict["NAME"]))
        alter = sql.SQL("ALTER ROLE {} IN DATABASE {} ").format(*names)
        needed = "; ".join(
            (alter + sql.SQL("SET {} = {}").format(sql.Identifier(name), value)).as_string()
            for name, value in settings.DATABASE_POOL_LIMITS.items()
            if f"{name}={value}" not in has
        )
        if not needed:
            return
        try:
            with transaction.atomic(using=database.alias):
                cursor.execute(needed)
        except ProgrammingError as error:
            raise CommandError(
                f"The role {role} of DATABASE_POOL_URL has no time limits, and this one "
                f"may not set them. As an administrator of the database: {needed};"
            ) from error


def require_same_database(database: BaseDatabaseWrapper, entry: Mapping[str, Any]) -> None:
    """Raise ``CommandError`` when the pool leads to another database, as after a restore.

    Commands would use the one and requests the other, and nothing else would say so. A
    pool that does not answer yet does not prevent the start.
    """
    try:
        with psycopg.connect(**_parameters(entry)) as pooled:
            behind = pooled.execute(IDENTITY).fetchone()
    except psycopg.OperationalError as error:
        reason = str(error).partition("\n")[0]
        logger.warning("DATABASE_POOL_URL was not compared: %s", reason)
        return
    with database.cursor() as cursor:
        cursor.execute(IDENTITY)
        if cursor.fetchone() != behind:
            raise CommandError(
                "DATABASE_POOL_URL leads to another database than DATABASE_URL: commands "
                "would use the one and requests the other."
            )


def _parameters(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Django connects with, less the ``options`` that PgBouncer refuses."""
    handler = ConnectionHandler({DEFAULT_DB_ALIAS: dict(entry)})
    parameters = handler[DEFAULT_DB_ALIAS].get_connection_params()
    parameters.pop("options", None)
    return {**parameters, "connect_timeout": POOL_SECONDS, "prepare_threshold": None}
