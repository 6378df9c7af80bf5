"""What a caller of the events interface is answered when a view or the edge fails."""

import json

import pytest
from django.http import Http404
from lxml import etree

from platform_errors.tests.clients import read_error
from platform_errors.tests.errors.test_documents import ALL, example
from platform_errors.tests.errors.test_handler import TRANSLATIONS, field_errors
from platform_errors.tests.factories import make_key
from platform_errors.tests.signing.test_evidence import NOW, REQUEST, TEXT, forged

EVENTS_FAILING = "/platform/events/v1/failing"
EVENTS_PATH = "/platform/events/v1/probe"
CODES = [
    "rest_no_route",  # Http404("model Thing")
    "rest_no_route",  # drf.NotFound("model Thing")
    "rest_forbidden",  # PermissionDenied("x")
    "rest_forbidden",  # drf.PermissionDenied("x")
    "rest_forbidden",  # drf.NotAuthenticated()
    "rest_unauthorized",  # drf.AuthenticationFailed()
    "rest_method_not_supported",  # drf.MethodNotAllowed("GET")
    "rest_not_acceptable",  # drf.NotAcceptable()
    "rest_conflict",  # writes.Conflict()
    "rest_precondition_failed",  # writes.PreconditionFailed()
    "rest_unsupported_media_type",  # drf.UnsupportedMediaType("a/b")
    "rest_idempotency_mismatch",  # writes.IdempotencyMismatch()
    "rest_too_many_requests",  # drf.Throttled(7.2)
    "rest_invalid_param",  # drf.ParseError("x")
    "rest_invalid_json",  # drf.ParseError("JSON parse error - x")
    "rest_invalid_param",  # field_errors()
    "rest_invalid_param",  # drf.ValidationError("x")
    "rest_invalid_param",  # ValidationError({"a": "x"})
    "rest_invalid_param",  # ValidationError("x")
    "rest_content_too_large",  # RequestDataTooBig()
    "rest_invalid_param",  # UnreadablePostError()
    "rest_invalid_param",  # MultiPartParserError()
    "rest_bad_request",  # TooManyFieldsSent()
    "rest_bad_request",  # SuspiciousOperation("x")
    "rest_bad_request",  # DisallowedHost("x")
    "rest_bad_request",  # BadRequest("x")
    "rest_unavailable",  # OperationalError("database is locked")
    "rest_unavailable",  # InterfaceError("connection lost")
    "rest_bad_request",  # Teapot()
    "rest_bad_request",  # Unheard()
    "internal_server_error",  # Broken()
    "internal_server_error",  # IntegrityError("secret")
    "internal_server_error",  # RuntimeError("secret")
]


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [(*row[:2], code) for row, code in zip(TRANSLATIONS, CODES, strict=True)],
    ids=[f"{type(row[0]).__module__}.{type(row[0]).__name__}" for row in TRANSLATIONS],
)
def test_every_exception_has_its_code(api, fails_with, failure, status, code):
    fails_with(failure)

    events = api.call("GET", EVENTS_FAILING, accept="application/json").json()

    assert (events["code"], events["data"]["status"]) == (code, status)


@pytest.mark.parametrize("refusal_class", ALL, ids=lambda cls: cls.__name__)
def test_every_refusal_says_its_reason_in_every_format(api, fails_with, refusal_class):
    refusal = example(refusal_class)
    fails_with(refusal)

    events = api.call("GET", EVENTS_FAILING, accept=None)
    events_xml = api.call("GET", EVENTS_FAILING, accept="application/xml")

    assert {answer["x-svc-Reason"] for answer in (events, events_xml)} == {refusal.reason}
    assert events.json()["data"]["reason"] == refusal.reason
    assert events_xml["Content-Type"].startswith("application/xml")
    root = etree.fromstring(events_xml.content)
    names = [etree.QName(child).localname for child in root]
    assert names == ["code", "message", "detail"]


@pytest.mark.parametrize("path", ["/platform/events/v1/nowhere", "/platform/events/v1/x/"])
def test_no_such_resource_of_the_events_interface(api, path):
    response = api.call("POST", path, accept=None)

    assert (response.status_code, response.json()["code"]) == (404, "rest_no_route")


def test_invalid_parameters_name_each_field(api, fails_with):
    fails_with(field_errors())

    members = json.loads(api.call("GET", EVENTS_FAILING, accept=None).content)

    assert members["message"] == "Invalid parameter(s): inner, title"
    assert members["data"]["params"] == {
        "inner": "A valid integer is required.",
        "title": "This field is required.",
    }


@pytest.mark.django_db
def test_an_events_error_is_xml_for_a_caller_that_takes_nothing_else(api, fails_with):
    fails_with(Http404())
    only_xml = {"accept": "application/xml"}

    missing = api.call("GET", EVENTS_FAILING, **only_xml)
    malformed = api.call(
        "POST", EVENTS_FAILING, data=b"{", content_type="application/json", **only_xml
    )
    success = api.call("GET", "/platform/events/v1/probe", **only_xml)

    assert read_error(missing).status == 404
    assert read_error(malformed).message == "Invalid HTTP Body Content"
    assert read_error(success).message == "Not Acceptable"


def test_an_events_500_says_its_request_identifier(api):
    response = api.call("GET", EVENTS_FAILING, accept=None)

    assert response.json() == {
        "code": "internal_server_error",
        "message": "Internal Server Error",
        "data": {
            "status": 500,
            "reason": "internal_error",
            "detail": f"request identifier: {response['x-svc-RequestId']}",
        },
    }


def test_a_broken_view_outside_of_drf_answers_in_the_dialect_of_its_mount(api):
    events = api.call("GET", "/platform/events/v1/broken", accept=None)

    assert events.json()["code"] == "internal_server_error"


@pytest.mark.parametrize("body", [b"{", b"\x00", '{"a": "é"}'.encode("latin-1")])
def test_malformed_json_has_a_code_of_its_own(api, body):
    events = api.generic("POST", EVENTS_FAILING, body, "application/json")

    assert events.json()["code"] == "rest_invalid_json"


@pytest.mark.django_db
def test_the_events_json_shows_the_lines_in_its_data(api):
    make_key()

    members = forged(api, EVENTS_PATH, None).json()

    assert members["message"] == "request has invalid signature (Zm9v)"
    assert members["data"] == {
        "status": 401,
        "reason": "signature_invalid",
        "canonical_request": REQUEST,
        "string_to_sign": TEXT.format(NOW),
    }
