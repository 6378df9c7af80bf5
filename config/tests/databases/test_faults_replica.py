"""Anonymous reads when the replica is lost, frozen or behind: the primary answers."""

import logging

import pytest
from django.test import Client

from calendar_events.tests.factories import EventFactory
from config.databases import replica
from config.tests import faults
from config.tests.waiting import eventually
from platform_errors.logging import circuit_breaker

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db,
    pytest.mark.postgresql_only,  # needs a PostgreSQL that may be stopped
]
EVENTS = "/platform/events/v1/events"


@pytest.fixture
def second(running, db, settings, monkeypatch):
    """A cluster that anonymous reads go to; the primary is the suite's own database."""
    monkeypatch.setattr(replica, "outage", circuit_breaker.CircuitBreaker("lost"))
    settings.DATABASE_ROUTERS = ["config.databases.replica.ReplicaRouter"]
    settings.MIDDLEWARE = [
        *settings.MIDDLEWARE,
        "config.databases.replica.ReplicaMiddleware",
    ]
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "EXCEPTION_HANDLER": "config.databases.replica.handle",
    }
    impatient = faults.settings_for(running) | {"ANSWER_SECONDS": 2}
    with faults.connected("replica", impatient):
        yield running


@pytest.fixture
def site(second):
    return Client(raise_request_exception=False)


@pytest.fixture
def event(second):
    """On the primary alone, so that it tells which of the two was read."""
    return EventFactory()


def statuses(site, *addresses):
    return [site.get(address).status_code for address in addresses]


def test_the_primary_answers_while_the_replica_is_away(site, second, event, caplog):
    single = f"{EVENTS}/{event.pk}"
    assert statuses(site, single) == [404]

    with faults.away(second):
        found = statuses(site, EVENTS, single, f"{single}.ics", f"{EVENTS}.ics", single)

    assert found == [200] * 5
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.name for record in errors] == ["platform_errors.logging.circuit_breaker"]


def test_a_replica_that_is_back_is_read_again(site, second, event, monkeypatch):
    monkeypatch.setattr(circuit_breaker, "PAUSE_SECONDS", 0.5)
    single = f"{EVENTS}/{event.pk}"
    with faults.away(second):
        assert statuses(site, single) == [200]

    eventually(lambda: statuses(site, single) == [404])


def test_the_primary_answers_while_the_replica_is_frozen(site, second, event):
    single = f"{EVENTS}/{event.pk}"
    assert statuses(site, single) == [404]

    with faults.frozen(second):
        found = statuses(site, *[single] * 20)

    assert found == [200] * 20


def test_a_replica_that_has_yet_to_learn_of_a_table_is_not_read(site, second, event):
    with faults.holding(second) as other:
        other.execute("ALTER TABLE calendar_events_event RENAME TO calendar_events_old")
        other.commit()
        try:
            found = statuses(site, f"{EVENTS}/{event.pk}")
        finally:
            other.execute("ALTER TABLE calendar_events_old RENAME TO calendar_events_event")
            other.commit()

    assert found == [200]


def test_the_log_has_a_line_a_minute(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(circuit_breaker, "monotonic", lambda: now[0])
    occasion = circuit_breaker.LogThrottle()

    found = []
    for moment in (100, 101, 159, 160, 161):
        now[0] = moment
        found.append(occasion.is_due())

    assert found == [True, False, False, True, False]
