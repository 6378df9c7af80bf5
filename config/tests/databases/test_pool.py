"""PgBouncer in transaction mode, as far as it shows without one: settings and the role.

``config/tests/deploy`` has requests that go through a real one.
"""

import subprocess

import pytest
from django.core.management import CommandError
from django.db import connection

from config.databases import pool
from config.management.commands import serve
from config.tests import fresh, servers

WHOLE = {
    **fresh.WHOLE,
    "DATABASE_URL": "postgres://owner@direct/calendar",
    "DATABASE_POOL_URL": "postgres://web@pool:6432/calendar",
}
SHOWN = """
from config import settings
database = settings.DATABASES["default"]
options = database["OPTIONS"]
print(
    database["HOST"], (settings.DATABASE_POOL or {"USER": ""})["USER"],
    database.get("DISABLE_SERVER_SIDE_CURSORS", False),
    options["prepare_threshold"], options.get("options", "none"), sep="|"
)
"""
LIMITS = {"statement_timeout": "11s", "lock_timeout": "3s"}
on_postgresql = pytest.mark.postgresql_only  # PostgreSQL has roles


def defaults_of(role):
    with connection.cursor() as cursor:
        cursor.execute(pool.ROLE_DEFAULTS, [role])
        return dict(row[0].split("=", 1) for row in cursor.fetchall())


def shown(code, **environment):
    """Return what the settings are in a process that serves requests."""
    return fresh.python(f"import config.wsgi\n{code}", **WHOLE | environment).stdout.strip()


def shown_to_commands(code, **environment):
    return fresh.python(code, **WHOLE | environment).stdout.strip()


@pytest.mark.parametrize(("prepares", "threshold"), [("0", "None"), ("1", "5")])
def test_what_serves_goes_through_the_pool_and_keeps_nothing_on_a_connection(
    prepares, threshold
):
    printed = shown(SHOWN, DATABASE_POOL_PREPARES=prepares)

    assert printed == f"pool|web|True|{threshold}|none"


def test_a_management_command_goes_past_the_pool_with_its_own_limits():
    """However it is started: ``python -m django`` and ``django-admin`` import no more."""
    host, role, *rest, options = shown_to_commands(SHOWN).split("|")

    assert (host, role, rest) == ("direct", "web", ["False", "5"])
    assert "statement_timeout=0s" in options


@pytest.mark.parametrize("url", ["postgres://127.0.0.1:6432/calendar", "sqlite:///a.db"])
@pytest.mark.parametrize("process", [shown, shown_to_commands])
def test_a_pool_without_a_role_to_keep_the_limits_is_refused(url, process):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        process(SHOWN, DATABASE_POOL_URL=url)

    said = refused.value.stderr.strip().splitlines()[-1]
    assert said.endswith("DATABASE_POOL_URL must be a postgres:// address with a user.")


def test_without_a_pool_the_limits_travel_with_the_connection():
    host, role, *rest, options = shown(SHOWN, DATABASE_POOL_URL="").split("|")

    assert (host, role, rest) == ("direct", "", ["False", "5"])
    assert "statement_timeout=15s" in options


@on_postgresql
@pytest.mark.django_db
def test_a_role_gets_the_defaults_that_it_does_not_have(
    settings, django_assert_num_queries
):
    settings.DATABASE_POOL_LIMITS = LIMITS
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        role = cursor.fetchone()[0]

    pool.limit(connection, role)
    with django_assert_num_queries(1):  # nothing is left to set
        pool.limit(connection, role)

    assert defaults_of(role) == LIMITS


@on_postgresql
@pytest.mark.django_db
def test_a_role_that_may_not_alter_the_pool_s_says_what_an_administrator_has_to_do(
    settings,
):
    settings.DATABASE_POOL_LIMITS = LIMITS
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE pool_web; CREATE ROLE pool_owner; SET ROLE pool_owner")

    with pytest.raises(CommandError, match="may not set them") as refused:
        pool.limit(connection, "pool_web")

    name = connection.settings_dict["NAME"]
    assert f'ALTER ROLE "pool_web" IN DATABASE "{name}" SET "lock_timeout" = \'3s\'' in str(
        refused.value
    )


@on_postgresql
@pytest.mark.django_db
def test_the_database_is_prepared_with_the_limits_of_the_pool(settings):
    settings.DATABASE_POOL = connection.settings_dict
    settings.DATABASE_POOL_LIMITS = LIMITS

    serve.prepare_database()

    role = connection.settings_dict["USER"]
    assert defaults_of(role) == LIMITS


@on_postgresql
@pytest.mark.django_db
def test_a_pool_that_leads_to_another_database_is_refused():
    other = connection.settings_dict | {"NAME": "postgres"}

    pool.require_same_database(connection, connection.settings_dict)
    with pytest.raises(CommandError, match="leads to another database than DATABASE_URL"):
        pool.require_same_database(connection, other)


@on_postgresql
@pytest.mark.django_db
def test_what_the_address_of_the_pool_asks_of_a_connection_holds_when_it_is_compared(
    caplog,
):
    of_django = {"options": "-c unknown=1", "server_side_binding": False}
    other = connection.settings_dict | {"NAME": "postgres", "OPTIONS": of_django}
    strict = other | {"OPTIONS": {"target_session_attrs": "standby"}}

    with pytest.raises(CommandError):
        pool.require_same_database(connection, other)
    pool.require_same_database(connection, strict)

    (record,) = caplog.records
    assert record.getMessage().startswith("DATABASE_POOL_URL was not compared: ")


@on_postgresql
@pytest.mark.django_db
def test_a_pool_whose_address_names_its_host_as_an_option_is_compared():
    by_option = {"HOST": "", "OPTIONS": {"host": connection.settings_dict["HOST"]}}
    other = connection.settings_dict | {"NAME": "postgres"} | by_option

    with pytest.raises(CommandError, match="leads to another database"):
        pool.require_same_database(connection, other)


@on_postgresql
@pytest.mark.django_db
def test_a_pool_that_does_not_answer_yet_stops_nothing(caplog):
    nowhere = connection.settings_dict | {"HOST": "127.0.0.1", "PORT": servers.free_port()}

    pool.require_same_database(connection, nowhere)

    (record,) = caplog.records
    assert record.getMessage().startswith("DATABASE_POOL_URL was not compared: ")
