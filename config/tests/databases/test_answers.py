"""A PostgreSQL server that keeps none of its limits is given up in every wait."""

import psycopg
import pytest
from django.db import OperationalError, transaction

from calendar_events.store import sql
from config.tests import faults

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db,
    pytest.mark.postgresql_only,  # a file is always there
]


@pytest.fixture
def database(running, db):
    impatient = faults.settings_for(running) | {"ANSWER_SECONDS": 2}
    with faults.connected("default", impatient) as wrapper:
        wrapper.ensure_connection()
        yield wrapper


def test_copy_cursors_of_the_server_and_prepared_statements_work(database):
    with database.connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copied (number integer)")
        with cursor.copy("COPY copied FROM STDIN") as copy:
            for number in range(1000):
                copy.write_row([number])
        with cursor.copy("COPY copied TO STDOUT") as copy:
            lines = sum(1 for _ in copy.rows())
    with transaction.atomic(), database.chunked_cursor() as cursor:
        cursor.execute("SELECT number FROM copied")
        chunked = cursor.fetchmany(10)
    rows = [
        sql.rows("SELECT count(*) FROM copied WHERE number >= %s", [0]) for _ in range(9)
    ]

    assert (lines, len(chunked)) == (1000, 10)
    assert rows == [[(1000,)]] * 9


def test_statements_are_prepared_when_they_are_executed_often(database):
    for _ in range(9):
        sql.rows("SELECT count(*) FROM pg_class WHERE relname = %s", ["events"])
        sql.rows("SELECT 1 FROM pg_class WHERE relname LIKE %s", ["%s"], prepare=False)

    prepared = sql.rows("SELECT statement FROM pg_prepared_statements")

    assert len(prepared) == 1
    assert "relname = $1" in prepared[0][0]


def test_an_answer_within_the_limit_is_waited_for(database):
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(1), 7")
        row = cursor.fetchone()

    assert row[1] == 7


def test_a_statement_that_a_living_server_never_ends_is_given_up(database):
    # As storage that hangs: the limit of the server does not end it.
    with (
        database.cursor() as cursor,
        faults.stopwatch() as seconds,
        pytest.raises(OperationalError, match="does not answer"),
    ):
        cursor.execute("SELECT pg_sleep(60)")

    assert seconds[0] < 45


@pytest.mark.parametrize("way", ["statement", "commit", "copy", "fetch"])
def test_a_frozen_server_ends_every_wait(database, running, way):
    raw = database.connection
    raw.autocommit = False
    cursor = raw.cursor("kept") if way == "fetch" else raw.cursor()
    cursor.execute("SELECT * FROM generate_series(1, 100000)")

    with faults.frozen(running):
        with pytest.raises(psycopg.OperationalError):
            {
                "statement": lambda: cursor.execute("SELECT 1"),
                "commit": raw.commit,
                "copy": lambda: copy_much(cursor),
                "fetch": lambda: cursor.fetchmany(100_000),
            }[way]()
        assert raw.closed
        cursor.close()


def copy_much(cursor):
    with cursor.copy("COPY (SELECT 1) TO STDOUT") as copy:
        copy.read()
