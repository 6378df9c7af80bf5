"""The benchmark measures what it says: real rows, the same answers, honest verdicts."""

import argparse
import json
import os
import subprocess
import sys
import threading
from contextlib import closing
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from benchmarks import (
    __main__ as benchmarks,
)
from benchmarks import (
    client,
    explaining,
    goals,
    measure,
    messages,
    paths,
    report,
    run,
    sameness,
    servers,
)
from benchmarks.seed import accounts, calendar
from benchmarks.yardsticks import floor
from calendar_events.models import DayCount, Event, EventTerm, Organizer, Term, Venue
from calendar_events.store import saving

EVENTS = 120


@pytest.fixture
def filled(db):
    created = accounts.create(other_tokens=0)
    calendar.fill(
        events=EVENTS, originals=EVENTS // 2, author=created.author, jobs=1, quiet=True
    )
    return created


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


@pytest.mark.parametrize("model", [Event, Venue, Organizer, Term])
def test_seeded_rows_are_what_the_product_itself_would_write(filled, model):
    for record in model.objects.order_by("-id")[:25]:
        seeded = (record.search_text, record.sort_text, without_moments(record.fragment))

        saving.save(record, now=record.modified_at + timedelta(hours=1))

        record.refresh_from_db()
        written = (record.search_text, record.sort_text, without_moments(record.fragment))
        assert written == seeded


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


@pytest.mark.usefixtures("public_address")
@pytest.mark.parametrize(
    "path", [paths.EVENTS, f"{paths.FIFTY}&page=1", f"{paths.EVENTS}?page=2"]
)
def test_the_idiomatic_list_answers_the_same(filled, client, settings, path):
    ours = client.get(path).json()
    settings.ROOT_URLCONF = "benchmarks.yardsticks.idiomatic.urls"

    theirs = client.get(path).json()

    assert list(sameness.differences(ours, theirs)) == []


@pytest.mark.usefixtures("public_address")
def test_the_idiomatic_single_answers_the_same(filled, client, settings):
    listed = [event["id"] for event in client.get(paths.FIFTY).json()["events"]]
    ours = [client.get(paths.event(number)).json() for number in listed]
    settings.ROOT_URLCONF = "benchmarks.yardsticks.idiomatic.urls"

    theirs = [client.get(paths.event(number)).json() for number in listed]

    assert list(sameness.differences(ours, theirs)) == []


@pytest.mark.skipif(
    not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
    reason="the floors speak to PostgreSQL alone",
)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("public_address")
@pytest.mark.parametrize("floor_application", [floor.floor_rows, floor.floor_documents])
def test_the_floors_answer_the_same(client, monkeypatch, floor_application):
    created = accounts.create(other_tokens=0)
    calendar.fill(events=EVENTS, author=created.author, jobs=1, quiet=True)
    database = connection.settings_dict
    where = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
    monkeypatch.setitem(
        os.environ, "DATABASE_URL", f"postgres://{database['USER']}@{where}"
    )
    floor.database.cache_clear()
    with closing(floor.database()) as direct:
        floor.build_documents()
        ours = client.get(f"{paths.EVENTS}?page=2").json()

        body = b"".join(
            floor_application({"QUERY_STRING": "page=2"}, lambda status, headers: None)
        )

        direct.execute("DROP TABLE benchmark_document")
    floor.database.cache_clear()
    assert list(sameness.differences(ours, json.loads(body))) == []


def test_differences_are_named_by_where_they_are():
    ours = {"events": [{"id": 1, "title": "One"}], "total": 1}
    theirs = {"events": [{"id": "1", "title": "One"}], "total": 1, "pages": 1}

    found = sorted(sameness.differences(ours, theirs))

    assert found == ["$.events[0].id: 1 and '1'", "$.pages is only in one"]


@pytest.mark.parametrize(
    ("limit", "measured", "at_least", "words"),
    [
        (0.9, 0.9, False, "met"),
        (0.9, 1.8, False, "**missed** by 100 %"),
        (1.4, 1.7, True, "met"),
        (1.4, 0.7, True, "**missed** by 100 %"),
    ],
)
def test_a_verdict_says_by_how_much(limit, measured, at_least, words):
    verdict = goals.Verdict(
        subject="a list", of="another", limit=limit, measured=measured, at_least=at_least
    )

    assert verdict.words == words


def test_percentiles_are_values_that_were_measured():
    assert [measure.percentile([3, 1, 2, 4], share) for share in (0, 0.5, 0.99)] == [
        1,
        3,
        4,
    ]


def test_a_table_has_a_row_per_variant():
    cost = measure.Cost(
        name="ours",
        application=[1.0],
        database=[0.5],
        alone=[2.0],
        together=[3.0],
        rates=[9.0],
    )

    lines = report.cost_table({"ours": cost}, baseline="ours").splitlines()

    assert (
        lines[2]
        == "| ours | 1.00 | 0.50 | 1.50 | 2.00 | 2.00 | 3.00 | 3.00 | 9.00 | 0.000 | 1.00 |"
    )


class Answers(BaseHTTPRequestHandler):
    """A server that says 404 to one path and keeps its connections."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b"{}"
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_details):
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Does not wait for a client that keeps its connection open."""

    daemon_threads = True
    block_on_close = False


@pytest.fixture
def port():
    with Server(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_the_load_generator_sends_what_it_should(port):
    job = client.Job(
        port=port, requests=[messages.get("/"), messages.get("/missing")], count=7
    )

    outcome = client.run(job)

    assert (len(outcome.seconds), dict(outcome.statuses)) == (7, {200: 4, 404: 3})


def test_the_load_generator_stops_at_the_first_unexpected_answer(port):
    job = client.Job(
        port=port,
        requests=[messages.get("/"), messages.get("/missing")],
        count=7,
        status=200,
    )

    outcome = client.play(job)

    assert outcome.unexpected.startswith(b"HTTP/1.1 404")


def test_the_command_explains_itself():
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "--quick" in finished.stdout


def test_parts_are_run_in_their_order_whatever_the_order_they_are_asked_in():
    plan = run.Plan(
        labels=("10k",),
        main="10k",
        effort=measure.Effort(),
        only=benchmarks.parts("plans,search"),
    )

    assert plan.parts(run.PARTS) == ["search", "plans"]
    assert plan.parts(run.ON_SQLITE) == ["search"]


def test_a_run_without_a_choice_has_every_part():
    plan = run.Plan(labels=("10k",), main="10k", effort=measure.Effort())

    assert plan.parts(run.PARTS) == list(run.PARTS)


def test_a_part_that_is_not_there_is_refused_by_name():
    with pytest.raises(argparse.ArgumentTypeError, match="serach"):
        benchmarks.parts("search,serach")


def test_a_plan_is_shown_without_its_statement():
    message = (
        "duration: 12.5 ms  plan:\nQuery Text: SELECT a\n"
        "FROM (SELECT b) t\nSort  (cost=1.00..2.00 rows=1)\n  ->  Result  (cost=0..1)"
    )

    shown = explaining.slowest([message, "duration: 1.0 ms  plan:\nResult  (cost=0..1)"])

    assert shown.splitlines() == [
        "12.5 ms",
        "Sort  (cost=1.00..2.00 rows=1)",
        "  ->  Result  (cost=0..1)",
    ]
