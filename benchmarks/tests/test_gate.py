"""The gate counts the same each time, and fails when something grows."""

import json
import mmap

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

from benchmarks import gate, paths, processor
from calendar_events.models import Event

pytestmark = pytest.mark.nightly

FIGURES = {"statements": 3, "calls": 1000, "instructions": 5_000_000}
KEPT = {"python": gate.PYTHON, "requests": {"list of ten": FIGURES}}


def needless_query(get_response):
    """Ask the database in vain for every request, as a middleware."""

    def respond(request):
        Event.objects.filter(pk=0).exists()
        return get_response(request)

    return respond


def needless_calls(get_response):
    """Call a lot for every request, as a middleware."""

    def respond(request):
        for number in range(1000):
            str(number).encode()
        return get_response(request)

    return respond


@pytest.fixture
def count(settings, transactional_db):
    """Return a function that counts a list, warm, with more middleware from here on."""

    def counted(*more):
        names = [f"{__name__}.{middleware.__name__}" for middleware in more]
        settings.MIDDLEWARE = [*settings.MIDDLEWARE, *names]
        application, factory = WSGIHandler(), RequestFactory(SERVER_NAME="127.0.0.1")
        made = gate.count_warm(application, lambda: dict(factory.get(paths.EVENTS).environ))
        return {"list of ten": made}

    return counted


@pytest.mark.parametrize(
    ("unit", "grown", "sentence"),
    [
        ("statements", 4, "list of ten: statements grew from 3 to 4 (+33%)"),
        ("calls", 1101, "list of ten: calls grew from 1,000 to 1,101 (+10%)"),
        (
            "instructions",
            6_000_000,
            "list of ten: instructions grew from 5,000,000 to 6,000,000 (+20%)",
        ),
    ],
)
def test_what_grows_by_more_than_a_tenth_is_named_with_what_to_do(unit, grown, sentence):
    said = gate.judge({"list of ten": FIGURES | {unit: grown}}, KEPT)

    assert said == [
        sentence,
        "If that is meant: make gate ACCEPT=1, and the reason in the commit.",
    ]


@pytest.mark.parametrize(
    "figures", [{"statements": 3, "calls": 1100}, {"statements": 2, "calls": 1}]
)
def test_what_grows_by_a_tenth_or_shrinks_passes(figures):
    assert gate.judge({"list of ten": figures}, KEPT) == []


def test_another_python_is_compared_by_its_statements():
    measured = {"list of ten": {"statements": 4, "calls": 9000}}

    said = gate.judge(measured, KEPT | {"python": "2.7"})

    assert said[0] == "list of ten: statements grew from 3 to 4 (+33%)"
    assert len(said) == 2


def test_six_requests_have_figures():
    kept = json.loads(gate.KEPT.read_text())["requests"]

    assert len(kept) == 6
    assert all(figures.keys() >= {"statements", "calls"} for figures in kept.values())


def test_the_same_request_is_counted_the_same_each_time(count):
    first = count()

    assert [count(), count()] == [first, first]


def test_needless_calls_fail(count):
    kept = {"python": gate.PYTHON, "requests": count()}

    [sentence, _] = gate.judge(count(needless_calls), kept)

    assert sentence.startswith("list of ten: calls grew from ")


@pytest.mark.postgresql_only  # statements are counted on PostgreSQL
def test_one_needless_statement_fails(count):
    before = count()
    kept = {"python": gate.PYTHON, "requests": before}

    [sentence, *_] = gate.judge(count(needless_query), kept)

    statements = before["list of ten"]["statements"]
    assert sentence.startswith(f"list of ten: statements grew from {statements} to ")


def test_the_processor_counts_what_this_thread_does():
    # Every machine has this counter, not every one that of instructions.
    with processor.counting(processor.PAGE_FAULTS) as faults:
        if faults is None:
            pytest.skip("perf_event_open is not permitted here")
        before = faults()
        # New pages: what Python allocates may be memory that it had before.
        with mmap.mmap(-1, 64 * 2**20) as pages:
            for place in range(0, len(pages), mmap.PAGESIZE):
                pages[place] = 1

        assert faults() > before


def test_a_counter_that_the_machine_does_not_have_is_none():
    with processor.counting((9999, 1)) as unknown:
        assert unknown is None
