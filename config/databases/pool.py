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

from config.databases import role_defaults

logger = logging.getLogger(__name__)

POOL_SECONDS: Final = 5
"""How long a pool is waited for that is compared with the database."""
IDENTITY: Final = "SELECT current_database(), pg_postmaster_start_time()"


def limit(database: BaseDatabaseWrapper, role: str) -> None:
    """Let the connections that PgBouncer makes have the time limits of the settings.

    Raises ``CommandError`` with the statements when this role may not alter that one.
    """
    limits = settings.DATABASE_POOL_LIMITS
    try:
        with transaction.atomic(using=database.alias):
            role_defaults.set_role_defaults(database, role, limits)
    except ProgrammingError as error:
        needed = role_defaults.statements(database, role, limits)
        raise CommandError(
            f"The role {role} of DATABASE_POOL_URL has no time limits, and this one may "
            f"not set them. As an administrator of the database: {needed};"
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
