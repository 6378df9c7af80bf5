"""Statements are timed whichever way they take, and those that fail are told apart."""

import pytest
from django.db import OperationalError, connection, connections

from calendar_events.store import sql
from config.monitoring import statements
from platform_errors.signing.nonces import claim_nonce

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
COUNT = "platform_statement_seconds_count"
on_postgresql = pytest.mark.postgresql_only  # SQLite has no such limit


@pytest.fixture(autouse=True)
def watched():
    """Have a connection, which is watched from the moment that it is made."""
    connection.ensure_connection()
    assert statements.timed in connection.execute_wrappers


def test_a_statement_of_django_s_is_timed(grown):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")

    assert grown(COUNT, database="default") == 1


@pytest.mark.parametrize("prepare", [True, False])
def test_what_the_calendar_reads_and_writes_is_timed(prepare, grown):
    sql.rows("SELECT CAST(%s AS integer)", [7], prepare=prepare)
    sql.write("DELETE FROM calendar_events_term WHERE id = %s", [-1])

    assert grown(COUNT, database="default") == 2


def test_a_connection_that_is_made_again_is_timed_once(grown):
    statements.watch(connections["default"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")

    assert grown(COUNT, database="default") == 1


@on_postgresql
@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("statement_timeout", "SET LOCAL statement_timeout = 20; SELECT pg_sleep(600)"),
        ("lock_timeout", "DO $$ BEGIN RAISE lock_not_available; END $$"),
    ],
)
def test_a_statement_that_took_too_long_is_counted_by_its_limit(kind, statement, grown):
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute(statement)

    assert grown("platform_statement_failures_total", kind=kind) == 1


@pytest.mark.parametrize(
    ("words", "kind"),
    [("database is locked", "lock_timeout"), ("disk I/O error", "unavailable")],
)
def test_what_sqlite_says_in_words_is_told_apart(words, kind, grown):
    def refuse(*_arguments):
        raise OperationalError(words)

    with pytest.raises(OperationalError):
        statements.timed(refuse, "SELECT 1", (), False, {"connection": connection})

    assert grown("platform_statement_failures_total", kind=kind) == 1


def test_a_statement_that_is_wrong_is_no_failure_of_the_database(grown):
    with pytest.raises(Exception, match="no_such"), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pk FROM no_such"
            if connection.vendor == "sqlite"
            else "SELECT no_such FROM pg_class"
        )

    kinds = ("statement_timeout", "lock_timeout")
    assert [grown("platform_statement_failures_total", kind=kind) for kind in kinds] == [
        0,
        0,
    ]


def test_open_connections_are_counted_by_database():
    opened = statements.open_connections()

    assert opened["default"] >= 1
    assert set(connections.settings) <= set(opened)


def test_a_claimed_nonce_is_one_statement_and_told_as_stored_or_replayed(grown):
    nonce = {"client_id": "a", "timestamp": 1_750_000_000, "nonce": "n", "oldest": 0}

    claims = [claim_nonce(**nonce) for _ in range(2)]

    assert claims == [True, False]
    assert grown("platform_nonces_total", result="stored") == 1
    assert grown("platform_nonces_total", result="replayed") == 1
