"""Every refusal is one line in the log: which, for whom, how long; and nothing secret."""

import json
import logging

import pytest
from django.test import override_settings

from platform_errors.logging.formatters import (
    PlainFormatter,
    RequestIdFilter,
    StructuredFormatter,
)
from platform_errors.tests.clients import authorization
from platform_errors.tests.factories import TOKEN, make_key, make_token, past

pytestmark = pytest.mark.django_db

FACTS = ("method", "path", "status_code", "reason", "key")
CREDENTIALS = "/platform/credentials"


@pytest.fixture
def lines(caplog):
    """The records of every logger since the test began, as JSON."""
    caplog.set_level(logging.WARNING)
    caplog.handler.addFilter(RequestIdFilter())
    formatter = StructuredFormatter("{levelname}{name}{message}{request_id}", style="{")
    return lambda: [json.loads(formatter.format(record)) for record in caplog.records]


def facts(line):
    return tuple(line[name] for name in FACTS)


def test_a_refused_signature_is_one_line(api, lines):
    make_key()

    response = api.signed("POST", f"{CREDENTIALS}?password=opensesame", signature="Zm9v")

    (line,) = lines()
    assert facts(line) == ("POST", CREDENTIALS, 401, "signature_invalid", "key")
    assert line["request_id"] == response["x-svc-RequestId"]
    assert line["levelname"] == "WARNING"
    assert line["duration_ms"] >= 0
    assert line["message"].startswith(
        f"Refused: POST {CREDENTIALS} status=401 reason=signature_invalid key=key duration="
    )
    assert "opensesame" not in json.dumps(line)
    assert "Zm9v" not in json.dumps(line)


@pytest.mark.parametrize("accept", ["application/xml", "application/json"])
def test_every_class_of_refusal_names_the_key_that_was_stated(api, lines, accept):
    make_key("old", expires_at=past())
    make_key()
    make_token(expires_at=past())
    header = authorization("GET", CREDENTIALS)

    api.call("GET", CREDENTIALS, accept=accept)
    api.signed("GET", CREDENTIALS, client_id="nobody", accept=accept)
    api.signed("GET", CREDENTIALS, client_id="old", accept=accept)
    api.bearer("GET", CREDENTIALS, accept=accept)
    api.bearer("GET", CREDENTIALS, "tk_unknown", accept=accept)
    api.call("GET", CREDENTIALS, header, accept=accept)
    api.call("GET", CREDENTIALS, header, accept=accept)
    api.signed("PUT", CREDENTIALS, accept=accept)
    api.call("GET", "/platform/nowhere", accept=accept)

    assert [facts(line) for line in lines()] == [
        ("GET", CREDENTIALS, 401, "authorization_header_missing", ""),
        ("GET", CREDENTIALS, 401, "key_invalid", "nobody"),
        ("GET", CREDENTIALS, 401, "key_expired", "old"),
        ("GET", CREDENTIALS, 401, "token_expired", "key"),
        ("GET", CREDENTIALS, 401, "token_invalid", ""),
        ("GET", CREDENTIALS, 401, "nonce_replayed", "key"),
        ("PUT", CREDENTIALS, 405, "method_not_supported", "key"),
        ("GET", "/platform/nowhere", 404, "resource_not_found", ""),
    ]
    assert TOKEN not in json.dumps(lines())


def test_a_fault_of_ours_is_an_error_and_keeps_its_traceback(api, lines, fails_with):
    fails_with(RuntimeError("an internal matter"))

    api.call("GET", "/platform/failing")

    trace, line = lines()
    assert "an internal matter" in trace["exc_info"]
    assert facts(line) == ("GET", "/platform/failing", 500, "internal_error", "")
    assert line["levelname"] == "ERROR"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (
            "/platform/one%0ACRITICAL%20all%20is%20lost",
            "/platform/one\\nCRITICAL all is lost",
        ),
        ("/platform/%E2%80%A8x", "/platform/\\u2028x"),
    ],
)
def test_a_caller_cannot_start_a_line_in_the_log(api, caplog, path, shown):
    caplog.handler.addFilter(RequestIdFilter())
    formatter = PlainFormatter("{levelname} {message} [{request_id}]", style="{")

    response = api.call("GET", path)

    (record,) = caplog.records
    text = formatter.format(record)
    assert len(text.splitlines()) == 1
    assert f"GET {shown} status=404 reason=resource_not_found key= " in text
    assert text.endswith(f"[{response['x-svc-RequestId']}]")


def test_the_rate_limit_is_logged_as_any_other_refusal(api, change, lines):
    change(RATE_LIMITS={"address": "1/minute"})

    for _ in range(2):
        api.call("GET", "/platform/probe")

    assert [facts(line) for line in lines()] == [
        ("GET", "/platform/probe", 429, "too_many_requests", "")
    ]


def test_a_success_and_a_page_are_not_refusals(api, lines):
    make_key()

    api.signed("GET", CREDENTIALS)
    api.call("GET", "/nowhere", accept="text/html")

    assert [line["message"] for line in lines()] == ["Not Found: /nowhere"]


def test_without_the_middleware_django_logs_as_it_does(api, lines, settings):
    name = "platform_errors.errors.log.RefusalLogMiddleware"
    middleware = [one for one in settings.MIDDLEWARE if one != name]

    with override_settings(MIDDLEWARE=middleware):
        api.call("GET", "/platform/nowhere")

    assert [line["message"] for line in lines()] == ["Not Found: /platform/nowhere"]
