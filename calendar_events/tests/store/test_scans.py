"""Statements that read very many rows take turns, and are given up in words."""

import threading

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, connection, transaction

from calendar_events.store import scans

pytestmark = pytest.mark.both_databases

ON_POSTGRES = pytest.mark.postgresql_only  # SQLite has no statement limit and no locks
TITLES = "/events?search=e&orderby=title&start_date=2000-01-01&end_date=2100-01-01"


@pytest.fixture
def tight_limit(db):
    """Give statements a millisecond, on PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '1ms'")
        yield
        cursor.execute("RESET statement_timeout")


@ON_POSTGRES
@pytest.mark.django_db(transaction=True)
def test_a_scan_beyond_the_statement_limit_is_canceled_in_the_database(tight_limit):
    with pytest.raises(scans.ScanTooLong):
        scans.rows("SELECT pg_sleep(5)", [])


@pytest.mark.django_db
def test_a_list_that_takes_too_long_is_400_naming_what_was_asked(anonymous, monkeypatch):
    def give_up(*_args, **_options):
        raise scans.ScanTooLong

    monkeypatch.setattr(scans, "rows", give_up)

    response = anonymous.get(TITLES.replace("search=e", "featured=true"))

    assert response.status_code == 400
    assert set(response.json()["data"]["params"]) == {
        "featured",
        "orderby",
        "start_date",
        "end_date",
    }
    assert "Ask for fewer" in response.json()["data"]["params"]["featured"]


@pytest.mark.django_db
def test_when_too_many_threads_of_a_process_scan_the_next_is_503(anonymous, monkeypatch):
    monkeypatch.setattr(scans, "_places", threading.BoundedSemaphore(1))
    monkeypatch.setattr(scans, "PATIENCE_SECONDS", 0.01)
    scans._places.acquire()

    busy = anonymous.get("/events?featured=true")
    plain = anonymous.get("/events")
    scans._places.release()
    free = anonymous.get("/events?featured=true")

    assert (busy.status_code, plain.status_code, free.status_code) == (503, 200, 200)
    assert busy["Retry-After"]


def in_turn():
    """Run a statement that waits for its turn."""
    condition, params = scans.turn()
    return scans.rows(f"SELECT 1{condition}", params)


@ON_POSTGRES
@pytest.mark.django_db(transaction=True)
def test_one_scan_at_a_time_runs_in_the_database(settings):
    settings.CALENDAR_EVENTS = settings.CALENDAR_EVENTS | {"SCANS_AT_ONCE": 1}
    with psycopg.connect(
        **connection.get_connection_params() | {"autocommit": False}
    ) as other:
        other.execute(f"SELECT pg_advisory_xact_lock({scans._LOCK_CLASS}, 0)")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")

        with pytest.raises(OperationalError):
            in_turn()

        other.rollback()
        assert in_turn() == [(1,)]
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


@pytest.mark.django_db
def test_a_scan_that_fails_gives_its_place_back():
    for _ in range(3 * scans.MOST_OF_A_PROCESS):
        with pytest.raises(DatabaseError, match="nowhere"), transaction.atomic():
            scans.rows("SELECT * FROM nowhere", [])

    assert scans.rows("SELECT 1", []) == [(1,)]
