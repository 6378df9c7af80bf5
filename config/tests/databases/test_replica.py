"""Which requests read the replica, and which rows."""

import pytest
from django.contrib.auth import get_user_model
from django.test import RequestFactory

from calendar_events.models import Event
from config.databases import replica

EVENTS = "/platform/events/v1/events"


@pytest.fixture
def alias_during():
    """Return the connection that a model is read from while a request is served."""

    def ask(request, model=Event):
        router = replica.ReplicaRouter()
        return replica.ReplicaMiddleware(lambda _: router.db_for_read(model))(request)

    return ask


def test_an_anonymous_read_of_the_calendar_goes_to_the_replica(alias_during):
    assert alias_during(RequestFactory().get(EVENTS)) == "replica"


def test_a_caller_with_credentials_finds_what_it_has_just_written(alias_during):
    request = RequestFactory().get(EVENTS, headers={"Authorization": "Bearer tk_1"})

    assert alias_during(request) == "default"


def test_a_write_reads_the_primary(alias_during):
    assert alias_during(RequestFactory().post(EVENTS)) == "default"


def test_another_path_reads_the_primary(alias_during):
    assert alias_during(RequestFactory().get("/admin/")) == "default"


def test_accounts_are_always_read_from_the_primary(alias_during):
    assert alias_during(RequestFactory().get(EVENTS), get_user_model()) == "default"


def test_the_mark_ends_with_the_request(alias_during):
    alias_during(RequestFactory().get(EVENTS))

    assert replica.ReplicaRouter().db_for_read(Event) == "default"


def test_everything_is_written_to_the_primary_and_only_it_is_migrated():
    router = replica.ReplicaRouter()

    assert router.db_for_write(Event) == "default"
    assert router.allow_migrate("default", "calendar_events")
    assert not router.allow_migrate("replica", "calendar_events")
    assert router.allow_relation(Event(), Event())
