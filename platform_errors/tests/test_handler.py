"""Whatever a view raises is answered in its dialect, with the right headers."""

import json
import logging
from io import BytesIO

import pytest
from django.core.exceptions import (
    BadRequest,
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    ValidationError,
)
from django.core.signals import got_request_exception
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions as drf
from rest_framework import serializers

from platform_errors import exceptions
from platform_errors.models import Nonce
from platform_errors.tests.clients import Error, read_error
from platform_errors.tests.factories import make_key
from platform_errors.tests.probes import Failing

FAILING = "/platform/failing"
JSON = "application/json"
EVENTS_FAILING = "/platform/events/v1/failing"


class Teapot(drf.APIException):
    status_code = 418
    default_detail = "short and stout"


class Unheard(drf.APIException):
    status_code = 499
    default_detail = "of a status nobody knows"


class Broken(drf.APIException):
    status_code = 502
    default_detail = "an internal address"


def field_errors():
    class Form(serializers.Serializer):
        inner = serializers.ListField(child=serializers.IntegerField())
        title = serializers.CharField()

    form = Form(data={"inner": [1, "x"]})
    form.is_valid()
    return drf.ValidationError(form.errors)


TRANSLATIONS = [
    (Http404("model Thing"), 404, "Not Found", "rest_no_route"),
    (drf.NotFound("model Thing"), 404, "Not Found", "rest_no_route"),
    (PermissionDenied("x"), 403, "Missing permission", "rest_forbidden"),
    (drf.PermissionDenied("x"), 403, "Missing permission", "rest_forbidden"),
    (drf.NotAuthenticated(), 401, "Authorization header is missing", "rest_forbidden"),
    (
        drf.AuthenticationFailed(),
        401,
        "Authorization header is not supported",
        "rest_unauthorized",
    ),
    (
        drf.MethodNotAllowed("GET"),
        405,
        "Method Not Supported",
        "rest_method_not_supported",
    ),
    (drf.NotAcceptable(), 406, "Not Acceptable", "rest_not_acceptable"),
    (exceptions.Conflict(), 409, "Conflict", "rest_conflict"),
    (
        exceptions.PreconditionFailed(),
        412,
        "Precondition Failed",
        "rest_precondition_failed",
    ),
    (
        drf.UnsupportedMediaType("a/b"),
        415,
        "Unsupported Media Type",
        "rest_unsupported_media_type",
    ),
    (
        exceptions.IdempotencyMismatch(),
        422,
        "Idempotency-Key was used with another request body",
        "rest_idempotency_mismatch",
    ),
    (drf.Throttled(7.2), 429, "Too Many Requests", "rest_too_many_requests"),
    (drf.ParseError("x"), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (
        drf.ParseError("JSON parse error - x"),
        400,
        "Invalid HTTP Body Content",
        "rest_invalid_json",
    ),
    (field_errors(), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (drf.ValidationError("x"), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (ValidationError({"a": "x"}), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (ValidationError("x"), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (RequestDataTooBig(), 413, "Content Too Large", "rest_content_too_large"),
    (UnreadablePostError(), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (MultiPartParserError(), 400, "Invalid HTTP Body Content", "rest_invalid_param"),
    (TooManyFieldsSent(), 400, "Bad Request", "rest_bad_request"),
    (SuspiciousOperation("x"), 400, "Bad Request", "rest_bad_request"),
    (DisallowedHost("x"), 400, "Bad Request", "rest_bad_request"),
    (BadRequest("x"), 400, "Bad Request", "rest_bad_request"),
    (
        OperationalError("database is locked"),
        503,
        "Service Unavailable",
        "rest_unavailable",
    ),
    (InterfaceError("connection lost"), 503, "Service Unavailable", "rest_unavailable"),
    (Teapot(), 418, "I'm a Teapot", "rest_bad_request"),
    (Unheard(), 499, "Refused", "rest_bad_request"),
    (Broken(), 500, "Internal Server Error", "internal_server_error"),
    (IntegrityError("secret"), 500, "Internal Server Error", "internal_server_error"),
    (RuntimeError("secret"), 500, "Internal Server Error", "internal_server_error"),
]


@pytest.fixture
def fails_with(monkeypatch):
    """Make the failing view raise."""
    return lambda failure: monkeypatch.setattr(Failing, "failure", failure)


@pytest.mark.parametrize(
    ("failure", "status", "message", "slug"),
    TRANSLATIONS,
    ids=[f"{type(row[0]).__module__}.{type(row[0]).__name__}" for row in TRANSLATIONS],
)
def test_every_exception_is_translated(
    api, accept, fails_with, failure, status, message, slug
):
    fails_with(failure)

    platform = api.call("GET", FAILING, accept=accept)
    events = api.call("GET", EVENTS_FAILING, accept="application/json").json()

    assert read_error(platform).status == platform.status_code == status
    assert read_error(platform).message == message
    assert (events["code"], events["data"]["status"]) == (slug, status)
    assert platform["Cache-Control"] == "no-store"
    assert platform["Vary"] == "Accept, Authorization"


def test_internal_error_says_its_request_identifier_and_nothing_else(
    api, accept, fails_with, caplog
):
    fails_with(RuntimeError("an internal matter"))
    heard = []

    def hear(request, **_):
        heard.append(request.path)

    got_request_exception.connect(hear)

    with caplog.at_level(logging.ERROR, "platform_errors"):
        response = api.call("GET", FAILING, accept=accept)

    identifier = response["x-svc-RequestId"]
    assert read_error(response).detail == f"request identifier: {identifier}"
    assert b"internal matter" not in response.content
    assert heard == [FAILING]
    (record,) = [one for one in caplog.records if one.name == "platform_errors.handler"]
    assert "an internal matter" in record.exc_text


def test_a_path_cannot_start_a_line_in_the_log(api, fails_with, caplog):
    fails_with(RuntimeError("an internal matter"))

    api.call("GET", f"{FAILING}/one%0ACRITICAL%20all%20is%20lost")

    (record,) = [one for one in caplog.records if one.name == "platform_errors.handler"]
    assert record.getMessage() == (
        f"Internal Server Error: GET {FAILING}/one\\nCRITICAL all is lost"
    )


def test_an_events_500_says_its_request_identifier(api):
    response = api.call("GET", EVENTS_FAILING, accept=None)

    assert response.json() == {
        "code": "internal_server_error",
        "message": "Internal Server Error",
        "data": {
            "status": 500,
            "detail": f"request identifier: {response['x-svc-RequestId']}",
        },
    }


def test_a_broken_view_outside_of_drf_answers_in_the_dialect_of_its_mount(api):
    platform = api.call("GET", "/platform/broken", accept=None)
    events = api.call("GET", "/platform/events/v1/broken", accept=None)

    assert read_error(platform).message == "Internal Server Error"
    assert read_error(platform).detail.endswith(platform["x-svc-RequestId"])
    assert events.json()["code"] == "internal_server_error"


@pytest.mark.parametrize(
    ("failure", "status"), [(SuspiciousOperation("x"), 400), (PermissionDenied("x"), 403)]
)
def test_django_s_own_refusals_answer_in_the_dialect_of_their_mount(
    api, accept, fails_with, failure, status
):
    fails_with(failure)

    assert read_error(api.call("GET", "/platform/broken", accept=accept)).status == status


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (RuntimeError("x"), 500),
        (SuspiciousOperation("x"), 400),
        (PermissionDenied("x"), 403),
        (Http404("x"), 404),
    ],
)
def test_a_page_keeps_django_s_error_pages(api, fails_with, failure, status):
    fails_with(failure)

    response = api.call("GET", "/broken", accept="text/html")

    assert (response.status_code, response["Content-Type"]) == (
        status,
        "text/html; charset=utf-8",
    )


def test_a_host_that_is_not_ours_is_refused_in_the_dialect_of_the_mount(api, accept):
    platform = api.call("GET", "/platform/probe", accept=accept, HTTP_HOST="evil.example")
    events = api.call("GET", "/platform/events/v1/probe", HTTP_HOST="evil.example")

    assert read_error(platform).message == "Bad Request"
    assert platform["x-svc-RequestId"]
    assert events.status_code == 400


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "FOO"])
@pytest.mark.parametrize("path", ["/platform/nowhere", "/platform/identity/v1/nowhere"])
def test_no_such_resource(api, accept, method, path):
    response = api.call(method, path, accept=accept)

    assert read_error(response).status == 404
    assert read_error(response).message == "Not Found"
    assert "Allow" not in response


@pytest.mark.parametrize("path", ["/platform/events/v1/nowhere", "/platform/events/v1/x/"])
def test_no_such_resource_of_the_events_interface(api, path):
    response = api.call("POST", path, accept=None)

    assert (response.status_code, response.json()["code"]) == (404, "rest_no_route")


@pytest.mark.parametrize("how", [{}, {"header": "Bearer tk_unknown"}])
def test_method_not_supported(api, accept, how):
    response = api.call("DELETE", "/platform/probe", accept=accept, **how)

    expected = 401 if how else 405
    assert read_error(response).status == expected
    if not how:
        assert read_error(response).message == "Method Not Supported"
        assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_method_not_supported_of_an_open_view(api, accept):
    response = api.call("PATCH", FAILING, accept=accept)

    assert read_error(response).message == "Method Not Supported"
    assert response["Allow"] == "GET, POST, PUT, HEAD, OPTIONS"


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_not_acceptable(api, method):
    response = api.call(method, "/platform/probe", accept="text/plain")

    assert read_error(response).status == 406
    assert read_error(response).message == "Not Acceptable"
    assert read_error(response).detail == "available: application/xml, application/json"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/platform/closed", 401),
        ("GET", FAILING, 500),
        ("DELETE", "/platform/probe", 405),
        ("DISPATCH", "/platform/probe", 405),
        ("GET", "/platform/nowhere", 404),
    ],
)
def test_whatever_stands_in_the_way_comes_before_not_acceptable(api, method, path, status):
    assert read_error(api.call(method, path, accept="text/plain")).status == status


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


@pytest.mark.django_db
def test_a_write_whose_answer_is_not_acceptable_is_undone(api):
    body = {"data": b"{}", "content_type": "application/json"}

    refused = api.call("PUT", "/platform/writing", accept="text/plain", **body)
    kept = Nonce.objects.count()
    accepted = api.call("PUT", "/platform/writing", accept="application/json", **body)

    assert (read_error(refused).status, kept) == (406, 0)
    assert (accepted.status_code, Nonce.objects.count()) == (200, 1)


def write(api, body, content_type="application/json", accept="application/xml", **extra):
    return api.call(
        "PUT", FAILING, accept=accept, data=body, content_type=content_type, **extra
    )


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "image/png", "x"]
)
def test_unsupported_media_type(api, accept, content_type):
    response = write(api, b"{}", content_type, accept)

    assert read_error(response).status == 415
    assert read_error(response).message == "Unsupported Media Type"


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded"]
)
def test_a_compressed_body_is_an_unsupported_media_type(api, accept, content_type):
    response = write(api, b"{}", content_type, accept, HTTP_CONTENT_ENCODING="GZIP")
    plain = write(api, b"{}", content_type, accept, HTTP_CONTENT_ENCODING="identity")

    assert read_error(response).status == 415
    assert read_error(response).detail == "the Content-Encoding GZIP is not supported"
    assert plain.status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"a": NaN}',
        b'{"a": 1}}',
        b"\xff",
        b'{"a": "\\ud800"}',
        b"[" * 100_000,
        b"'a'",
        b"\x00",
        '{"a": "é"}'.encode("latin-1"),
    ],
)
def test_malformed_json(api, accept, body):
    response = write(api, body, accept=accept)
    events = api.generic("POST", EVENTS_FAILING, body, "application/json")

    assert read_error(response).status == 400
    assert read_error(response).message == "Invalid HTTP Body Content"
    assert read_error(response).detail.startswith("the body is not JSON: ")
    assert events.json()["code"] == "rest_invalid_json"


@pytest.mark.parametrize("body", [b"a=%ff", b"\xff=1", b"&".join([b"a=1"] * 2000)])
def test_bad_body_when_a_form_cannot_be_read(api, accept, body):
    response = write(api, body, "application/x-www-form-urlencoded", accept)

    assert read_error(response).status == 400
    assert read_error(response).message == "Invalid HTTP Body Content"


def test_bad_body_when_it_is_truncated(api, accept):
    sent = {"CONTENT_LENGTH": "20", "wsgi.input": BytesIO(b'{"a": 1}')}

    response = write(api, b"{}", accept=accept, **sent)

    assert read_error(response).status == 400
    assert read_error(response).detail == (
        "the body ends after 8 of the 20 bytes that were announced"
    )


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded"]
)
def test_content_too_large(api, accept, settings, content_type):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10

    response = write(api, b"[" + b"1," * 20 + b"1]", content_type, accept)

    assert read_error(response).status == 413
    assert read_error(response).message == "Content Too Large"


def test_a_body_is_read_as_json_or_as_a_form(api):
    as_json = write(
        api, '{"a": ["é", 1]}'.encode(), "application/json; charset=utf-8", accept=JSON
    )
    as_form = write(api, b"a=%C3%A9&b=1", "application/x-www-form-urlencoded", JSON)

    assert as_json.json() == {"a": ["é", 1]}
    assert as_form.json() == {"a": "é", "b": "1"}


def test_drf_s_own_parser_is_answered_alike(api):
    response = api.generic("PUT", "/platform/drf", b"{", "application/json")

    assert read_error(response).message == "Invalid HTTP Body Content"


def test_too_many_requests_says_how_long_to_wait(api, accept, fails_with):
    fails_with(drf.Throttled(7.2))

    response = api.call("GET", FAILING, accept=accept)

    assert read_error(response).message == "Too Many Requests"
    assert response["Retry-After"] == "8"


def test_conflict(api, accept, fails_with):
    fails_with(exceptions.Conflict("modified_utc is 2026-11-20 10:00:00"))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        409, "Conflict", "modified_utc is 2026-11-20 10:00:00"
    )


def test_precondition_failed(api, accept, fails_with):
    fails_with(exceptions.PreconditionFailed("If-Match names another version"))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        412, "Precondition Failed", "If-Match names another version"
    )


def test_idempotency_mismatch(api, accept, fails_with):
    fails_with(exceptions.IdempotencyMismatch())

    message = "Idempotency-Key was used with another request body"
    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        422, message, message
    )


def test_missing_parameters(api, accept, fails_with):
    fails_with(exceptions.MissingParameters(["title", "start_date"]))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        400, "Invalid HTTP Body Content", "Missing parameter(s): title, start_date"
    )


def test_invalid_parameters(api, accept, fails_with):
    fails_with(exceptions.InvalidParameters({"page": "must be positive"}))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        400, "Invalid parameter(s): page", "page: must be positive"
    )


def test_invalid_parameters_name_each_field(api, fails_with):
    fails_with(field_errors())

    members = json.loads(api.call("GET", EVENTS_FAILING, accept=None).content)

    assert members["message"] == "Invalid parameter(s): inner, title"
    assert members["data"]["params"] == {
        "inner": "A valid integer is required.",
        "title": "This field is required.",
    }


@pytest.mark.django_db
def test_a_403_has_a_challenge_only_when_a_token_is_at_fault(api):
    make_key(services=[])

    response = api.signed("GET", "/platform/closed")

    assert (response.status_code, "WWW-Authenticate" in response) == (403, False)


def test_drf_s_own_permission_is_answered_alike(api, accept):
    response = api.call("GET", "/platform/drf-guarded", accept=accept)

    assert read_error(response).message == "Authorization header is missing"
    assert response["WWW-Authenticate"] == 'Bearer realm="https://platform.example"'


@pytest.mark.parametrize(
    ("failure", "detail"),
    [
        (ValidationError("x"), "x"),
        (ValidationError(["x", "y"]), "x"),
        (ValidationError({"a": ["x"], "b": ["y"]}), "a: x; b: y"),
        (drf.ValidationError(["x"]), "x"),
        (drf.UnsupportedMediaType("a/b" * 300), None),
    ],
)
def test_the_detail_is_short_and_says_why(api, fails_with, failure, detail):
    fails_with(failure)

    shown = read_error(api.call("GET", FAILING)).detail

    assert len(shown) <= 256
    assert detail in {shown, None}


@pytest.mark.django_db
def test_a_view_that_forgets_what_it_requires_is_closed_to_anonymous_callers(api, accept):
    make_key()

    anonymous = api.call("GET", "/platform/forgetful", accept=accept)
    known = api.signed("GET", "/platform/forgetful", accept="application/json")

    assert read_error(anonymous).message == "Authorization header is missing"
    assert known.status_code == 200


def test_what_is_no_success_is_not_turned_into_not_acceptable(api):
    assert api.call("GET", "/platform/writing", accept="text/plain").status_code == 304
