"""Whatever a view raises is answered in its dialect, with the right headers."""

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
from django.db import (
    DatabaseError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    connection,
)
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions as drf
from rest_framework import serializers

from platform_errors.errors import catalogue, handler, writes
from platform_errors.keys import SecretUnreadable
from platform_errors.tests.clients import Error, read_error
from platform_errors.tests.factories import make_key

FAILING = "/platform/failing"
JSON = "application/json"


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
    (Http404("model Thing"), 404, "Not Found"),
    (drf.NotFound("model Thing"), 404, "Not Found"),
    (PermissionDenied("x"), 403, "Missing permission"),
    (drf.PermissionDenied("x"), 403, "Missing permission"),
    (drf.NotAuthenticated(), 401, "Authorization header is missing"),
    (drf.AuthenticationFailed(), 401, "Authorization header is not supported"),
    (drf.MethodNotAllowed("GET"), 405, "Method Not Supported"),
    (drf.NotAcceptable(), 406, "Not Acceptable"),
    (writes.Conflict(), 409, "Conflict"),
    (writes.PreconditionFailed(), 412, "Precondition Failed"),
    (drf.UnsupportedMediaType("a/b"), 415, "Unsupported Media Type"),
    (
        writes.IdempotencyMismatch(),
        422,
        "Idempotency-Key was used with another request body",
    ),
    (drf.Throttled(7.2), 429, "Too Many Requests"),
    (drf.ParseError("x"), 400, "Invalid HTTP Body Content"),
    (drf.ParseError("JSON parse error - x"), 400, "Invalid HTTP Body Content"),
    (field_errors(), 400, "Invalid HTTP Body Content"),
    (drf.ValidationError("x"), 400, "Invalid HTTP Body Content"),
    (ValidationError({"a": "x"}), 400, "Invalid HTTP Body Content"),
    (ValidationError("x"), 400, "Invalid HTTP Body Content"),
    (RequestDataTooBig(), 413, "Content Too Large"),
    (UnreadablePostError(), 400, "Invalid HTTP Body Content"),
    (MultiPartParserError(), 400, "Invalid HTTP Body Content"),
    (TooManyFieldsSent(), 400, "Bad Request"),
    (SuspiciousOperation("x"), 400, "Bad Request"),
    (DisallowedHost("x"), 400, "Bad Request"),
    (BadRequest("x"), 400, "Bad Request"),
    (OperationalError("database is locked"), 503, "Service Unavailable"),
    (InterfaceError("connection lost"), 503, "Service Unavailable"),
    (Teapot(), 418, "I'm a Teapot"),
    (Unheard(), 499, "Refused"),
    (Broken(), 500, "Internal Server Error"),
    (IntegrityError("secret"), 500, "Internal Server Error"),
    (RuntimeError("secret"), 500, "Internal Server Error"),
]


@pytest.mark.parametrize(
    ("failure", "status", "message"),
    TRANSLATIONS,
    ids=[f"{type(row[0]).__module__}.{type(row[0]).__name__}" for row in TRANSLATIONS],
)
def test_every_exception_is_translated(api, accept, fails_with, failure, status, message):
    fails_with(failure)

    platform = api.call("GET", FAILING, accept=accept)

    assert read_error(platform).status == platform.status_code == status
    assert read_error(platform).message == message
    assert platform["Cache-Control"] == "no-store"
    assert platform["Vary"] == "Accept, Authorization"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "FOO"])
@pytest.mark.parametrize("path", ["/platform/nowhere", "/platform/identity/v1/nowhere"])
def test_no_such_resource(api, accept, method, path):
    response = api.call(method, path, accept=accept)

    assert read_error(response).status == 404
    assert read_error(response).message == "Not Found"
    assert "Allow" not in response


def test_method_not_supported(api, accept):
    response = api.call("DELETE", "/platform/probe", accept=accept)

    assert read_error(response).status == 405
    assert read_error(response).message == "Method Not Supported"
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_bad_credentials_come_before_method_not_supported(api, accept):
    response = api.bearer("DELETE", "/platform/probe", "tk_unknown", accept=accept)

    assert read_error(response).status == 401


def test_method_not_supported_of_an_open_view(api, accept):
    response = api.call("PATCH", FAILING, accept=accept)

    assert read_error(response).message == "Method Not Supported"
    assert response["Allow"] == "GET, POST, PUT, HEAD, OPTIONS"


def test_too_many_requests_says_how_long_to_wait(api, accept, fails_with):
    fails_with(drf.Throttled(7.2))

    response = api.call("GET", FAILING, accept=accept)

    assert read_error(response).message == "Too Many Requests"
    assert response["Retry-After"] == "8"


def test_conflict(api, accept, fails_with):
    fails_with(writes.Conflict("modified_utc is 2026-11-20 10:00:00"))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        409, "Conflict", "modified_utc is 2026-11-20 10:00:00"
    )


def test_https_required(api, accept, fails_with):
    fails_with(catalogue.HttpsRequired())

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        403, "https is required", "https is required"
    )


def test_precondition_failed(api, accept, fails_with):
    fails_with(writes.PreconditionFailed("If-Match names another version"))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        412, "Precondition Failed", "If-Match names another version"
    )


def test_idempotency_mismatch(api, accept, fails_with):
    fails_with(writes.IdempotencyMismatch())

    message = "Idempotency-Key was used with another request body"
    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        422, message, message
    )


def test_missing_parameters(api, accept, fails_with):
    fails_with(writes.MissingParameters(["title", "start_date"]))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        400, "Invalid HTTP Body Content", "Missing parameter(s): title, start_date"
    )


def test_invalid_parameters(api, accept, fails_with):
    fails_with(writes.InvalidParameters({"page": "must be positive"}))

    assert read_error(api.call("GET", FAILING, accept=accept)) == Error(
        400, "Invalid parameter(s): page", "page: must be positive"
    )


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


@pytest.mark.django_db
@pytest.mark.both_databases
def test_an_error_of_a_statement_is_no_outage_on_any_database():
    """A client that is asked to come back later would come back for ever."""
    with pytest.raises(DatabaseError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT no_such_column FROM django_content_type")

    assert not handler.is_unavailable(caught.value)


def test_secret_not_readable(api, fails_with):
    fails_with(SecretUnreadable("of the key"))

    response = api.call("GET", FAILING, accept=JSON)

    assert (response.status_code, response.json()["reason"]) == (500, "secret_not_readable")
    assert response.json()["detail"].startswith("request identifier: ")
