"""The connections of ``platform_errors.postgresql`` in every way that psycopg waits."""

import socket
import threading
import time

import psycopg
import pytest
from django.db import OperationalError, transaction

from calendar_events.store import sql
from config.tests import faults, servers
from config.tests.waiting import eventually
from config.tools import installation
from platform_errors.postgresql import base, liveness, prepared

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db,
    pytest.mark.postgresql_only,  # the backend is its
]


@pytest.fixture
def database(running, db, monkeypatch):
    monkeypatch.setattr(liveness, "_servers", {})  # nobody remembers the test before
    with faults.connected("default", faults.settings_for(running)) as wrapper:
        yield wrapper


def test_copy_cursors_of_the_server_and_prepared_statements_work(database):
    database.ensure_connection()
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
    for _ in range(3):
        kept = prepared.fetch_rows(database, "SELECT count(*) FROM copied", ())
        rows = sql.rows("SELECT count(*) FROM copied")

    assert type(database.connection) is base.Connection
    assert (lines, len(chunked)) == (1000, 10)
    assert (kept, rows) == ([(1000,)], [(1000,)])


def test_a_slow_statement_is_waited_for_while_the_server_lives(database):
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(1.9), 7")
        row = cursor.fetchone()

    assert row[1] == 7


def test_a_statement_that_a_living_server_never_ends_is_given_up(running, db):
    # As storage that hangs: the limit of the server does not end it.
    impatient = faults.settings_for(running) | {"LONGEST_WAIT_SECONDS": 1}
    with (
        faults.connected("default", impatient) as wrapper,
        faults.stopwatch() as seconds,
        wrapper.cursor() as cursor,
        pytest.raises(OperationalError, match="not answered in time"),
    ):
        cursor.execute("SELECT pg_sleep(60)")

    assert seconds[0] < 45


@pytest.mark.parametrize("way", ["statement", "commit", "copy", "fetch"])
def test_a_frozen_server_ends_every_wait(database, running, way):
    database.ensure_connection()
    raw = database.connection
    raw.autocommit = False
    cursor = raw.cursor("kept") if way == "fetch" else raw.cursor()
    cursor.execute("SELECT * FROM generate_series(1, 100000)")

    with faults.frozen(running), faults.stopwatch() as seconds:
        with pytest.raises(psycopg.OperationalError):
            {
                "statement": lambda: cursor.execute("SELECT 1"),
                "commit": raw.commit,
                "copy": lambda: copy_much(cursor),
                "fetch": lambda: cursor.fetchmany(100_000),
            }[way]()
        assert raw.closed
        cursor.close()

    assert seconds[0] < 60


def test_a_server_behind_a_pool_that_was_never_within_reach_is_not_watched(running, db):
    with faults.deaf_server() as (port, _asked):
        pooled = faults.settings_for(running)
        pooled["BEHIND_POOL"] = {"host": "127.0.0.1", "port": str(port)}
        with faults.connected("default", pooled) as wrapper:
            assert answers(wrapper)
            assert [each.port for each in wrapper.connection.servers] == [running.port]


@pytest.mark.skipif(not installation.PGBOUNCER, reason="needs PgBouncer")
def test_a_frozen_server_is_noticed_behind_a_pool_that_goes_on_answering(running, db):
    port = servers.free_port()
    direct = faults.settings_for(running)
    pooled = direct | {
        "PORT": str(port),
        "PASSWORD": installation.PASSWORD,
        "OPTIONS": {"prepare_threshold": None},
        "BEHIND_POOL": {"host": direct["HOST"], "port": direct["PORT"]},
    }
    with (
        installation.pgbouncer(port, running.url),
        faults.connected("default", pooled) as wrapper,
        wrapper.cursor() as cursor,
    ):
        cursor.execute("SELECT 1")
        # PgBouncer's own words, after ``query_timeout``, are others.
        with faults.frozen(running):
            with pytest.raises(OperationalError, match="does not answer"):
                cursor.execute("SELECT 1")
            with pytest.raises(psycopg.OperationalError, match="does not answer"):
                wrapper.get_new_connection(wrapper.get_connection_params())

        wrapper.close()
        assert eventually(lambda: answers(wrapper))


def answers(database):
    try:
        with database.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError:
        return False
    return True


def copy_much(cursor):
    with cursor.copy("COPY (SELECT 1) TO STDOUT") as copy:
        copy.read()


def test_while_a_server_is_silent_one_thread_asks_and_the_others_are_refused_at_once(
    monkeypatch,
):
    monkeypatch.setattr(liveness, "FRESH_SECONDS", 600)
    with faults.deaf_server() as (port, asked):
        server = liveness.Server("127.0.0.1", port)
        assert refused_after(server) >= 0.9
        assert refused_after(server) < 60
        assert len(asked) == 1  # what is known counts for a while

        monkeypatch.setattr(liveness, "FRESH_SECONDS", 0)
        monkeypatch.setattr(liveness, "PROBE_SECONDS", 600)
        asking = threading.Thread(target=refused_after, args=[server])
        asking.start()
        while len(asked) < 2:
            asking.join(0.01)
            assert asking.is_alive()
        assert refused_after(server) < 60
        assert asking.is_alive()
        asked[1].shutdown(socket.SHUT_RDWR)
        asking.join()

    assert len(asked) == 2


def test_the_socket_of_a_directory_is_asked_as_well(running):
    server = liveness.Server(str(running.directory), running.port)
    server.require_answer()

    with faults.frozen(running):
        time.sleep(1.0)
        assert refused_after(server) >= 0.9
    time.sleep(1.0)
    server.require_answer()

    with pytest.raises(psycopg.OperationalError):
        liveness.Server(str(running.directory), running.port + 1).require_answer()


def refused_after(server):
    with faults.stopwatch() as seconds, pytest.raises(psycopg.OperationalError):
        server.require_answer()
    return seconds[0]
