"""The benchmark measures what it says: real rows, the same answers, honest verdicts."""

import argparse
import itertools
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from benchmarks import __main__ as benchmarks
from benchmarks import (
    bench,
    client,
    databases,
    measure,
    messages,
    paths,
    report,
    servers,
)
from benchmarks.seed import accounts, calendar
from benchmarks.yardsticks import floor
from calendar_events.models import DayCount, Event, EventTerm, Organizer, Term, Venue

pytestmark = pytest.mark.nightly

EVENTS = 120


def aside(function, *arguments):
    """Call where no event loop is running, as a browser test's may be in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments).result()


@pytest.fixture
def filled(db):
    editor = accounts.create(other_tokens=0)
    calendar.fill(events=EVENTS, author=editor.pk)


@pytest.fixture
def public_address(settings):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "PUBLIC_URL": servers.PUBLIC_URL,
    }


def without_moments(fragment):
    """Leave out when it was modified, which every write changes."""
    document = json.loads(
        "{" + fragment.replace("\x02", "").replace("\x03", "") + "}", strict=False
    )
    return {name: value for name, value in document.items() if "modified" not in name}


def test_seeded_rows_are_what_the_product_itself_would_write(filled):
    models = [Event, Venue, Organizer, Term]
    newest = [list(model.objects.order_by("-id")[:25]) for model in models]
    for record in itertools.chain.from_iterable(newest):
        seeded = (record.search_text, record.sort_text, without_moments(record.fragment))

        record.save(now=record.modified_at + timedelta(hours=1))

        record.refresh_from_db()
        written = (record.search_text, record.sort_text, without_moments(record.fragment))
        assert written == seeded


@pytest.mark.postgresql_only  # elsewhere events are counted each time
def test_counters_agree_with_the_seeded_rows(filled):
    listed = Event.objects.filter(status="publish", hide_from_listings=False)
    popular = EventTerm.objects.filter(term_id=1, listed=True)

    counted = {
        row["scope"]: row["total"]
        for row in DayCount.objects.filter(day="0001-01-01", scope__in=["all", "term:1"])
        .values("scope")
        .annotate(total=Sum("number"))
    }

    assert counted == {"all": listed.count(), "term:1": popular.count()}


def test_the_same_calendar_is_made_again(filled):
    again = calendar.Calendar(
        events=EVENTS, author=Event.objects.first().author_id, now=datetime.now(UTC)
    )

    venues = again.holdings["2001"].venues

    stored = Venue.objects.filter(institution="2001").order_by("pk")
    assert [venue.fragment for venue in venues] == [venue.fragment for venue in stored]


@pytest.mark.postgresql_only  # it reads the kept counters
@pytest.mark.usefixtures("public_address")
def test_the_idiomatic_lists_answer_the_same(filled, client, settings):
    addresses = [paths.EVENTS, f"{paths.FIFTY}&page=1", f"{paths.EVENTS}?page=2"]
    ours = [client.get(address).json() for address in addresses]
    settings.ROOT_URLCONF = "benchmarks.yardsticks.idiomatic.urls"

    theirs = [client.get(address).json() for address in addresses]

    assert theirs == ours


@pytest.mark.postgresql_only  # it reads the kept counters
@pytest.mark.usefixtures("public_address")
def test_the_idiomatic_single_answers_the_same(filled, client, settings):
    listed = [event["id"] for event in client.get(paths.FIFTY).json()["events"]]
    ours = [client.get(paths.event(number)).json() for number in listed]
    settings.ROOT_URLCONF = "benchmarks.yardsticks.idiomatic.urls"

    theirs = [client.get(paths.event(number)).json() for number in listed]

    assert theirs == ours


@pytest.mark.skipif(
    not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
    reason="the floors speak to PostgreSQL alone",
)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("public_address")
def test_the_floor_answers_the_same(client, monkeypatch):
    editor = accounts.create(other_tokens=0)
    calendar.fill(events=EVENTS, author=editor.pk)
    database = connection.settings_dict
    where = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
    monkeypatch.setitem(
        os.environ, "DATABASE_URL", f"postgres://{database['USER']}@{where}"
    )
    floor.database.cache_clear()
    with closing(floor.database()):
        ours = client.get(f"{paths.EVENTS}?page=2").json()

        body = b"".join(
            floor.floor_rows({"QUERY_STRING": "page=2"}, lambda status, headers: None)
        )
    floor.database.cache_clear()
    assert json.loads(body) == ours


@pytest.mark.parametrize(
    ("limit", "measured", "is_minimum", "verdict"),
    [
        (0.9, 0.9, False, "met"),
        (0.9, 1.8, False, "**missed** by 100 %"),
        (1.4, 1.7, True, "met"),
        (1.4, 0.7, True, "**missed** by 100 %"),
    ],
)
def test_a_goal_says_by_how_much_it_was_missed(limit, measured, is_minimum, verdict):
    goal = report.Goal("a list", "another", limit, measured, is_minimum=is_minimum)

    assert goal.verdict == verdict


def test_percentiles_are_values_that_were_measured():
    assert [measure.percentile([3, 1, 2, 4], share) for share in (0, 0.5, 0.99)] == [
        1,
        3,
        4,
    ]


def test_a_table_has_a_row_per_variant():
    cost = measure.Cost(
        application=[1.0],
        database=[0.5],
        alone=[2.0],
        together=[3.0],
        rates=[9.0],
    )

    lines = report.cost_table({"ours": cost}, baseline="ours").splitlines()

    assert (
        lines[2]
        == "| ours | 1.00 | 0.50 | 1.50 | 2.00 | 2.00 | 3.00 | 3.00 | 9.00 | 0 | 1.00 |"
    )


class Answers(BaseHTTPRequestHandler):
    """A server that says 404 to one path, is busy at another, and keeps connections."""

    protocol_version = "HTTP/1.1"
    busy = itertools.count()

    def do_GET(self):
        status = 404 if self.path == "/missing" else 200
        if self.path == "/busy" and next(self.busy) % 2 == 0:
            status = 503
        self.send_response(status)
        if status == 503:
            self.send_header("Retry-After", "0")
        if self.path == "/chunks":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n")
            return
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_details):
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Does not wait for a client that keeps its connection open."""

    daemon_threads = True
    block_on_close = False


@pytest.fixture
def port():
    with Server(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_a_closed_loop_sends_as_many_as_it_should(port):
    requests = messages.in_turns("/", "/missing")
    load = client.closed_loop(
        port, requests, connections=2, count=7, seconds=30, status=None
    )

    [outcome] = aside(client.play, load)

    assert (len(outcome.milliseconds), dict(outcome.statuses)) == (7, {200: 4, 404: 3})


def test_a_closed_loop_ends_when_there_are_no_more_requests(port):
    requests = iter([messages.get("/")] * 3)

    [outcome] = aside(
        client.play, client.closed_loop(port, requests, connections=2, seconds=30)
    )

    assert outcome.statuses == {200: 3}


def test_an_unexpected_answer_ends_the_load(port):
    requests = messages.in_turns("/", "/missing")

    with pytest.raises(client.UnexpectedAnswer, match="404"):
        aside(client.play, client.closed_loop(port, requests, connections=1, seconds=30))


def test_a_server_that_is_busy_is_asked_again_and_the_share_is_told(port):
    requests = messages.in_turns("/busy")

    [outcome] = aside(
        client.play, client.closed_loop(port, requests, connections=1, count=8, seconds=30)
    )

    assert (outcome.statuses, outcome.refused_share) == ({200: 4}, 0.5)


def test_chunks_are_read_to_their_end(port):
    assert aside(client.ask, port, messages.get("/chunks")).body == b"hello!"


def run_of(**parts):
    """Run parts that need no database."""
    nowhere = databases.Cluster(url="", pid=0)
    return benchmarks.measure(bench.Bench(cluster=nowhere), parts)


def test_a_part_that_fails_is_reported_and_the_others_go_on():
    def good(_bench):
        yield report.Section("Good", "fine")

    def bad(_bench):
        yield report.Section("Half", "done")
        raise client.UnexpectedAnswer("503: busy")

    sections, failed = run_of(bad=bad, good=good)

    texts = [(section.title, section.text) for section in sections]
    assert failed == ["bad"]
    assert texts == [
        ("Half", "done"),
        ("Bad", "**Failed:** UnexpectedAnswer: 503: busy"),
        ("Good", "fine"),
    ]


def test_parts_are_run_in_their_order_whatever_the_order_they_are_asked_in():
    read = benchmarks.names_of(benchmarks.PARTS)

    assert read("memory,growth") == ["growth", "memory"]


def test_a_part_that_is_not_there_is_refused_by_name():
    with pytest.raises(argparse.ArgumentTypeError, match="weather"):
        benchmarks.names_of(benchmarks.PARTS)("growth,weather")


class Calendars:
    """A cluster that makes calendars of nothing."""

    def __init__(self):
        self.made = []

    def create_calendar(self, name, events):
        self.made.append((name, events))
        return f"postgres://nowhere/{name}"


@pytest.mark.parametrize(
    ("sizes", "label"),
    [(["10k", "100k", "1M"], "100k"), (["10k"], "10k"), (["10k", "1M"], "1M")],
)
def test_only_the_calendar_is_made_that_is_measured_and_once(sizes, label):
    cluster = Calendars()
    run = bench.Bench(cluster=cluster, sizes=sizes)

    assert run.main == run.main == (label, f"postgres://nowhere/bench_{label.lower()}")
    assert cluster.made == [(f"bench_{label.lower()}", bench.SIZES[label])]


def test_a_quick_run_has_a_tenth_of_the_events():
    cluster = Calendars()

    assert len(bench.Bench(cluster=cluster, is_quick=True).calendars) == 2
    assert cluster.made == [("bench_10k", 1_000), ("bench_100k", 10_000)]
