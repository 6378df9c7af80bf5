"""Settings that a role has in every session: for connections that a pool makes.

PgBouncer passes on no settings from those who use its connections.
"""

from collections.abc import Mapping

from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

_DEFAULTS = """
SELECT unnest(setconfig) FROM pg_db_role_setting
JOIN pg_roles ON pg_roles.oid = setrole JOIN pg_database ON pg_database.oid = setdatabase
WHERE rolname = %s AND datname = current_database()
"""


def role_defaults(database: BaseDatabaseWrapper, role: str) -> dict[str, str]:
    """Return the defaults that a role has in this database."""
    with database.cursor() as cursor:
        cursor.execute(_DEFAULTS, [role])
        pairs = (row[0].partition("=") for row in cursor.fetchall())
        return {name: value for name, _, value in pairs}


def statements(database: BaseDatabaseWrapper, role: str, wanted: Mapping[str, str]) -> str:
    """Return the SQL that gives a role the defaults that it lacks; empty if it has all."""
    has = role_defaults(database, role)
    missing = {name: value for name, value in wanted.items() if has.get(name) != value}
    return "; ".join(
        sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}")
        .format(
            sql.Identifier(role),
            sql.Identifier(database.settings_dict["NAME"]),
            sql.Identifier(name),
            sql.Literal(value),
        )
        .as_string()
        for name, value in missing.items()
    )


def set_role_defaults(
    database: BaseDatabaseWrapper, role: str, wanted: Mapping[str, str]
) -> None:
    """Give a role these settings in the sessions that begin from now on in this database.

    A role may do so for itself. Raises ``django.db.ProgrammingError`` where it may not for
    another.
    """
    if needed := statements(database, role, wanted):
        with database.cursor() as cursor:
            cursor.execute(needed)
