"""The version that serves answers while the next one migrates its database."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import httpx
import psycopg
import pytest

from config.tests import servers
from config.tests.change.processes import halted, run
from config.tests.signer import ALICE, signed

# SQLite has one writer at a time.
pytestmark = [
    pytest.mark.postgresql_only,
    pytest.mark.processes,
    pytest.mark.nightly,
]

EVENTS = int(os.environ.get("EVENTS_TO_MIGRATE", "3000"))
# The short form tolerates long waits; in the long one a statement that waits for
# a lock for more than a second is a 503, which fails it.
LIMIT = "1" if EVENTS > 3000 else "60"
PATIENCE_SECONDS = 1200
FILL = "config.tests.change.next_release.9002_fill_subtitles:change"
USER = {"principalID": ALICE, "principalIDNS": "urn:platform:1001"}
WEAK = {"AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock"}
"""No reader and no writer of rows waits for these."""
HELD = """
SELECT DISTINCT mode FROM pg_locks
WHERE granted AND relation = 'calendar_events_event'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
COLUMNS = """
SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
WHERE table_name = 'calendar_events_event' AND column_name NOT IN ('id', 'slug')
"""
COPIES = """
INSERT INTO calendar_events_event (slug, {columns})
SELECT slug || '-copy-' || number, {columns}
FROM calendar_events_event, generate_series(1, {events}) number
WHERE id = (SELECT min(id) FROM calendar_events_event WHERE status = 'publish')
"""
INDEXING = """
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'
  AND wait_event_type = 'Lock'
"""
VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'event_by_subtitle'::regclass"


class Caller:
    """Reads and writes over HTTP, and keeps what was acknowledged."""

    def __init__(self, server):
        self.events = f"{server.events_root}/events"
        self.numbers = itertools.count(1)
        self.statuses, self.acknowledged, self.longest = [], {}, 0.0

    def call(self):
        """List, make an event, change it."""
        with httpx.Client(timeout=PATIENCE_SECONDS) as http:
            self._send(http, "GET", self.events)
            body = {
                "title": f"Made meanwhile {next(self.numbers)}",
                "start_date": "tomorrow 10:00",
                "end_date": "tomorrow 11:00",
            }
            made = self._send(http, "POST", self.events, json=body)
            if made.status_code == 201:
                where, title = made.headers["Location"], f"{body['title']}, changed"
                changed = self._send(http, "PATCH", where, json={"title": title})
                self.acknowledged[where] = (
                    title if changed.status_code == 200 else body["title"]
                )

    def _send(self, http, method, url, **options):
        begun = time.monotonic()
        user = {} if method == "GET" else USER
        answer = http.request(method, url, headers=signed(method, url, **user), **options)
        self.longest = max(self.longest, time.monotonic() - begun)
        self.statuses.append(answer.status_code)
        return answer

    def call_until(self, is_over):
        while not is_over.is_set():
            self.call()


@pytest.fixture
def server(tmp_path):
    with servers.demo_server(
        tmp_path, LOCK_TIMEOUT_SECONDS=LIMIT, STATEMENT_TIMEOUT_SECONDS="120"
    ) as running:
        with psycopg.connect(running.environment["DATABASE_URL"]) as database:
            columns = database.execute(COLUMNS).fetchone()[0]
            database.execute(COPIES.format(columns=columns, events=EVENTS))
        yield running


def ask(server, statement):
    with psycopg.connect(server.environment["DATABASE_URL"]) as database:
        return [row[0] for row in database.execute(statement).fetchall()]


def wait_for(server, statement, process):
    """Wait until the statement finds something, while the process lives."""
    while ask(server, statement) != [1]:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


@pytest.fixture
def next_version(server):
    """Return the environment in which the next version migrates."""
    return server.environment | {
        "DJANGO_SETTINGS_MODULE": "config.tests.change.next_settings",
        "LOCK_TIMEOUT_SECONDS": LIMIT,
    }


def test_reads_and_writes_go_on(server, next_version):
    caller, is_over = Caller(server), threading.Event()
    traffic = threading.Thread(target=caller.call_until, args=[is_over])
    traffic.start()
    begun = time.monotonic()
    try:
        run(next_version, "migrate", "calendar_events", "9001")
        other = Caller(server)
        with halted(next_version, FILL, "2", "migrate", "calendar_events", "9002") as fill:
            held = set(ask(server, HELD))
            other.call()  # while the second batch is changed and not yet committed
            fill.send_signal(signal.SIGCONT)
            fill.communicate(timeout=PATIENCE_SECONDS)
        run(next_version, "migrate", "calendar_events")
    finally:
        seconds = time.monotonic() - begun
        is_over.set()
        traffic.join()

    assert (fill.returncode, "RowExclusiveLock" in held, held - WEAK) == (0, True, set())
    assert set(other.statuses) == {200, 201}
    assert set(caller.statuses) == {200, 201}
    acknowledged = caller.acknowledged | other.acknowledged
    for where, title in acknowledged.items():
        assert httpx.get(where, timeout=PATIENCE_SECONDS).json()["title"] == title
    assert httpx.get(f"{server.url}/health/ready").status_code == 200
    without = "SELECT COUNT(*) FROM calendar_events_event WHERE subtitle <> title"
    sys.stdout.write(
        f"{EVENTS:,} events, {seconds:.0f} s, {len(caller.statuses)} requests, "
        f"the longest {caller.longest * 1000:.0f} ms, "
        f"{ask(server, without)} changed by the old version since\n"
    )


def test_an_index_keeps_nobody_waiting_and_is_made_again_when_interrupted(
    server, next_version
):
    caller = Caller(server)
    run(next_version, "migrate", "calendar_events", "9002")
    command = [sys.executable, "manage.py", "migrate", "calendar_events"]
    # It waits for every transaction that still sees what was there before, as this one.
    with psycopg.connect(server.environment["DATABASE_URL"]) as old:
        old.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        old.execute("SELECT COUNT(*) FROM calendar_events_event")
        migrating = subprocess.Popen(
            command,
            cwd=servers.ROOT,
            env=next_version | {"LOCK_TIMEOUT_SECONDS": "1"},  # as the document has it
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(server, INDEXING, migrating)
        held = set(ask(server, HELD))
        caller.call()
        old.execute("SELECT pg_sleep(1.5)")
        assert migrating.poll() is None, "the limit for locks ended it"
        migrating.send_signal(signal.SIGINT)
        _, said = migrating.communicate()
    assert (migrating.returncode, said.strip()) == (130, "Interrupted.")
    assert ask(server, VALID) == [False]

    run(next_version, "migrate", "calendar_events")

    assert held - WEAK == set()
    assert caller.statuses == [200, 201, 200]
    assert ask(server, VALID) == [True]
