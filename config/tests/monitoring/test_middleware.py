"""What one request is counted and logged as."""

import json

import pytest
from django.http import StreamingHttpResponse

from authserver.tests.factories import UserFactory
from config.monitoring import access_log
from config.monitoring.middleware import MonitoringMiddleware, route_of
from platform_errors.tests.documents_of import docs, table

EVENTS = "/platform/events/v1/events"
pytestmark = pytest.mark.django_db


def test_a_request_is_counted_by_its_route_and_not_by_its_path(client, grown):
    for slug in ("one", "two"):
        client.get(f"{EVENTS}/by-slug/{slug}")

    route = "calendar_events:events-by-slug"
    assert grown("platform_requests_total", route=route, method="GET", status="404") == 2
    assert grown("platform_request_seconds_count", route=route) == 2


def test_addresses_that_nobody_has_are_one_route(client, grown):
    for name in ("wp-login.php", ".git/config", "\N{SNOWMAN}"):
        client.get(f"/{name}")

    unresolved = {"route": "unresolved", "method": "GET", "status": "404"}
    assert grown("platform_requests_total", **unresolved) == 3


def test_methods_that_http_does_not_know_are_one_method(client, grown):
    for method in ("BREW", "PROPFIND"):
        client.generic(method, EVENTS)

    found = {"route": "calendar_events:events", "method": "other", "status": "405"}
    assert grown("platform_requests_total", **found) == 2


@pytest.mark.parametrize(
    ("path", "route"), [("/health/live", "health"), ("/static/no.css", "static")]
)
def test_what_is_answered_before_routes_are_looked_at_has_a_name(client, path, route):
    request = client.get(path).wsgi_request

    assert route_of(request) == route


def test_a_refusal_is_counted_by_its_reason_and_the_dialect_of_the_answer(client, grown):
    client.get("/platform/identity/v1")
    client.get(EVENTS, headers={"Authorization": "Bearer tk_unknown"})

    refused = "platform_refusals_total"
    missing = "authorization_header_missing"
    assert grown(refused, reason=missing, dialect="platform") == 1
    assert grown(refused, reason="token_invalid", dialect="events") == 1


def test_a_line_has_the_fields_of_the_documentation_in_their_order(client, access_lines):
    response = client.get(EVENTS)

    line = json.loads(access_lines[0])
    documented = [row[0].strip("`") for row in table(docs("monitoring.md"), "field")]
    assert list(line) == documented
    assert line["request_id"] == response["x-svc-RequestId"]
    assert line["bytes"] == len(response.content)
    assert (line["method"], line["route"], line["status"]) == (
        *("GET", "calendar_events:events"),
        200,
    )


def test_of_an_answer_to_head_no_bytes_are_sent(client, rf, access_lines):
    streamed = MonitoringMiddleware(lambda _: StreamingHttpResponse([b"one"]))
    request = rf.head("/")
    request.resolver_match = None

    client.head(EVENTS)
    answer = streamed(request)
    b"".join(answer)
    answer.close()

    assert [json.loads(line)["bytes"] for line in access_lines] == [0, 0]


def test_a_line_of_a_session_has_the_institution_of_the_user(client, access_lines):
    user = UserFactory(institution__registry_id="4711")
    client.force_login(user)

    client.get("/oauth2/access")

    assert json.loads(access_lines[-1])["institution"] == "4711"


def test_a_streamed_answer_is_counted_when_it_has_been_sent(rf, access_lines):
    pieces = (piece for piece in (b"one", b"two!"))
    middleware = MonitoringMiddleware(lambda _: StreamingHttpResponse(pieces))
    request = rf.get("/")
    request.resolver_match = None

    response = middleware(request)
    assert access_lines == []
    sent = b"".join(response)
    response.close()

    assert sent == b"onetwo!"
    assert [json.loads(line)["bytes"] for line in access_lines] == [7]


def test_a_streamed_answer_that_is_given_up_counts_what_was_sent(rf, access_lines):
    pieces = (piece for piece in (b"one", b"two!"))
    middleware = MonitoringMiddleware(lambda _: StreamingHttpResponse(pieces))
    request = rf.get("/")
    request.resolver_match = None

    response = middleware(request)
    next(iter(response))
    response.close()

    assert [json.loads(line)["bytes"] for line in access_lines] == [3]


def test_for_people_a_line_names_what_there_is():
    record = access_log.logger.makeRecord(
        access_log.LOGGER,
        20,
        "",
        0,
        "%(method)s %(route)s %(status)d",
        ({"method": "GET", "route": "home", "status": 200, "reason": ""},),
        None,
    )

    line = access_log.PlainFormatter().format(record)

    assert line == "INFO access method=GET route=home status=200"


def test_the_access_log_is_off_when_it_is_switched_off():
    on, off = (
        access_log.log_configuration(is_on=is_on, formatter="json") for is_on in (1, 0)
    )

    assert on["loggers"][access_log.LOGGER]["level"] == "INFO"
    assert off["loggers"][access_log.LOGGER]["level"] == "CRITICAL"
