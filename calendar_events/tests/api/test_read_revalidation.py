"""An event that is asked for again: with which headers it is 304, and with which not."""

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LONG_WAY = "?unknown=1"
EVENTS = {
    "public": {},
    "protected": {"protected": True},
    "draft": {"draft": True},
    "private": {"private": True},
    "scheduled": {"scheduled": True},
    "trashed": {"trashed": True},
}
# ``{tag}`` is the tag of the event as anybody would get it.
HEADERS = {
    "the tag": {"If_None_Match": "{tag}"},
    "the tag weakly": {"If_None_Match": "W/{tag}"},
    "the tag among others": {"If_None_Match": '"other", {tag} , W/"more"'},
    "any tag": {"If_None_Match": "*"},
    "another tag": {"If_None_Match": '"other"'},
    "no tag": {"If_None_Match": ""},
    "what is no tag": {"If_None_Match": '{tag}x, "'},
    "and a date that does not count": {
        "If_None_Match": '"other"',
        "If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT",
    },
    "and an older date": {
        "If_None_Match": "{tag}",
        "If_Modified_Since": "Tue, 01 Jan 2019 00:00:00 GMT",
    },
    "and the tag it must have": {"If_None_Match": "{tag}", "If_Match": "{tag}"},
    "and another that it must have": {"If_None_Match": "{tag}", "If_Match": '"other"'},
    "and unmodified since long ago": {
        "If_None_Match": "{tag}",
        "If_Unmodified_Since": "Tue, 01 Jan 2019 00:00:00 GMT",
    },
    "for JSON": {"If_None_Match": "{tag}", "Accept": "application/json"},
    "for a browser": {"If_None_Match": "{tag}", "Accept": "text/html, */*;q=0.1"},
    "for XML alone": {"If_None_Match": "{tag}", "Accept": "application/xml"},
    "for anything but JSON": {
        "If_None_Match": "{tag}",
        "Accept": "application/json;q=0, text/html",
    },
    "changed, for XML alone": {"If_None_Match": '"other"', "Accept": "application/xml"},
    "with bad credentials": {"If_None_Match": "{tag}", "Authorization": "Bearer tk_no"},
    "with blank credentials": {"If_None_Match": "{tag}", "Authorization": ""},
    "with a cookie": {"If_None_Match": "{tag}", "Cookie": "session=spoiled"},
    "from another origin": {"If_None_Match": "{tag}", "Origin": "https://other.example"},
    "without a question": {},
}
CHANGES_WITH_EVERY_ANSWER = "x-svc-RequestId"


def seen(response):
    """Return everything that a client sees of an answer."""
    headers = dict(response.headers)
    assert headers.pop(CHANGES_WITH_EVERY_ANSWER)
    return response.status_code, headers, response.content


@pytest.fixture
def event(db):
    return EventFactory(
        venues=[VenueFactory(), VenueFactory(draft=True)],
        organizers=[OrganizerFactory(), OrganizerFactory(scheduled=True)],
        terms=[TagFactory(), CategoryFactory()],
    )


@pytest.fixture
def ask(anonymous):
    """Ask for an event with the tag that anybody knows of it."""

    def send(event, *, method="GET", query="", path="/events/{pk}", **headers):
        address = path.format(pk=event.pk, slug=event.slug)
        tag = anonymous.get(f"/events/{event.pk}").headers.get("ETag", '"none"')
        sent = {name: text.replace("{tag}", tag) for name, text in headers.items()}
        return anonymous.send(method, f"{address}{query}", **sent)

    return send


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("kind", EVENTS)
def test_a_query_that_is_not_known_changes_no_answer(ask, kind, method):
    event = EventFactory(venues=[VenueFactory()], terms=[TagFactory()], **EVENTS[kind])

    for case, headers in HEADERS.items():
        plain = ask(event, method=method, **headers)
        ordinary = ask(event, method=method, query=LONG_WAY, **headers)

        assert seen(plain) == seen(ordinary), case


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_an_unchanged_public_event_is_304(ask, event, method, slash):
    response = ask(
        event, method=method, path=f"/events/{{pk}}{slash}", **HEADERS["the tag"]
    )

    assert response.status_code == 304


@pytest.mark.parametrize(
    "case",
    [
        *("the tag weakly", "the tag among others", "any tag", "and an older date"),
        *("for JSON", "for a browser", "with a cookie", "from another origin"),
    ],
)
def test_what_does_not_matter_does_not_stop_a_304(ask, event, case):
    response = ask(event, **HEADERS[case])

    assert response.status_code == 304


@pytest.mark.parametrize(
    ("case", "status"),
    [
        ("another tag", 200),
        ("no tag", 200),
        ("what is no tag", 200),
        ("and a date that does not count", 200),
        ("and the tag it must have", 304),
        ("and another that it must have", 412),
        ("and unmodified since long ago", 412),
        ("for XML alone", 304),
        ("changed, for XML alone", 406),
        ("with bad credentials", 401),
        ("with blank credentials", 401),
        ("without a question", 200),
    ],
)
def test_conditions_and_credentials_decide_together(ask, event, case, status):
    response = ask(event, **HEADERS[case])

    assert response.status_code == status


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        *(("protected", 403), ("draft", 403), ("private", 403)),
        *(("scheduled", 403), ("trashed", 403)),
    ],
)
@pytest.mark.parametrize("known", ["the tag", "any tag"])
def test_what_not_everybody_may_read_is_no_304(ask, kind, status, known):
    event = EventFactory(**EVENTS[kind])

    response = ask(event, **HEADERS[known])

    assert response.status_code == status


@pytest.mark.parametrize("pk", ["0", "987654321", "9" * 30, "9" * 5000])
def test_an_event_that_is_not_there_is_404(anonymous, db, pk):
    plain = anonymous.get(f"/events/{pk}", If_None_Match="*")
    ordinary = anonymous.get(f"/events/{pk}{LONG_WAY}", If_None_Match="*")

    assert plain.status_code == 404
    assert seen(plain) == seen(ordinary)


def test_a_password_in_the_query_makes_a_304_private(anonymous):
    event = EventFactory(protected=True)
    address = f"/events/{event.pk}?password={event.password}"
    tag = anonymous.get(address).headers["ETag"]

    response = anonymous.get(address, If_None_Match=tag)

    assert response.status_code == 304
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_a_slug_leads_to_the_same_304(ask, event):
    by_id = ask(event, **HEADERS["the tag"])
    by_slug = ask(event, path="/events/by-slug/{slug}", **HEADERS["the tag"])

    assert seen(by_slug) == seen(by_id)


def test_credentials_make_a_304_private(editor, event):
    tag = editor.get(f"/events/{event.pk}").headers["ETag"]

    response = editor.get(f"/events/{event.pk}", If_None_Match=tag)

    assert response.status_code == 304
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_the_tag_of_somebody_is_not_that_of_everybody(anonymous, editor, event):
    tag = editor.get(f"/events/{event.pk}").headers["ETag"]

    assert anonymous.get(f"/events/{event.pk}", If_None_Match=tag).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST", "DELETE"])
def test_a_write_with_any_tag_is_412(editor, event, method):
    response = editor.send(method, f"/events/{event.pk}", {}, If_None_Match="*")

    assert response.status_code == 412


def test_an_event_that_becomes_protected_is_refused_with_its_old_tag(anonymous, event):
    tag = anonymous.get(f"/events/{event.pk}").headers["ETag"]
    event.password = "opensesame"
    event.save(now=timezone.now())

    response = anonymous.get(f"/events/{event.pk}", If_None_Match=tag)

    assert response.status_code == 403


def test_a_tag_that_changed_costs_no_statement_more(
    anonymous, event, django_assert_num_queries
):
    with django_assert_num_queries(2):  # as many as without a tag
        response = anonymous.get(f"/events/{event.pk}", If_None_Match='"other"')

    assert response.status_code == 200


def test_a_database_that_does_not_answer_is_503(anonymous, event):
    def fail(*_args):
        raise OperationalError("the server is gone")

    anonymous.client.raise_request_exception = False
    with CaptureQueriesContext(connection), connection.execute_wrapper(fail):
        plain = anonymous.get(f"/events/{event.pk}", If_None_Match="*")
        ordinary = anonymous.get(f"/events/{event.pk}{LONG_WAY}", If_None_Match="*")

    assert plain.status_code == 503
    assert seen(plain) == seen(ordinary)


def test_the_rate_limit_of_addresses_holds_for_304(ask, event, settings):
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "RATE_LIMITS": {"address": "4/minute"},
    }

    answers = [ask(event, **HEADERS["the tag"]).status_code for _ in range(3)]

    assert answers == [304, 304, 429]


def test_a_preflight_names_the_methods_as_before(anonymous, event):
    response = anonymous.send(
        "OPTIONS", f"/events/{event.pk}", Access_Control_Request_Method="PUT"
    )

    assert response.headers["Access-Control-Allow-Methods"] == (
        "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    )
