"""What programs get whatever comes: their own error format, and never a cookie."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.core.handlers.exception import convert_exception_to_response
from django.db import OperationalError
from django.test import Client, RequestFactory

from authserver.tests.oauth_client import assert_error
from platform_errors.errors.documents import XML_CONTENT_TYPE

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TOKEN, REVOKE, INTROSPECT = "/oauth2/token", "/oauth2/revoke", "/oauth2/introspect"
OLD, METADATA = "/oauth2/accessToken", "/.well-known/oauth-authorization-server"
EVENTS, IDENTITY = "/platform/events/v1/events", "/platform/identity/v1"
POSTED = {TOKEN, REVOKE, INTROSPECT, OLD}
SPOILED = {
    "unknown": {"session": "0" * 32},
    "malformed": {"session": "spoiled", "csrf": "spoiled"},
}


def ask(path, *, cookies=None, **headers):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    for name, value in (cookies or {}).items():
        client.cookies[name] = value
    return client.generic("POST" if path in POSTED else "GET", path, headers=headers)


@pytest.mark.parametrize("path", [TOKEN, REVOKE, INTROSPECT, METADATA, f"{TOKEN}/x"])
def test_a_host_that_is_not_ours_is_refused_in_the_endpoints_own_shape(path):
    response = ask(path, host="evil.example")

    assert_error(response, 400, "invalid_request", "Bad Request")
    assert response["x-svc-RequestId"]


def test_a_host_that_is_not_ours_is_refused_in_xml_for_who_prefers_it():
    response = ask(TOKEN, host="evil.example", accept="application/xml")

    assert response.status_code == 400
    assert response["Content-Type"] == XML_CONTENT_TYPE
    assert b"<code>400</code>" in response.content


def test_a_host_that_is_not_ours_is_refused_in_the_old_generations_shape():
    response = ask(OLD, host="evil.example")

    assert response.status_code == 400
    assert response.json().keys() == {"code", "message", "details"}


def test_a_host_that_is_not_ours_may_read_the_refusal_as_any_origin():
    assert ask(TOKEN, host="evil.example")["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    ("raised", "status", "name"),
    [
        (OperationalError("away"), 503, "temporarily_unavailable"),
        (RuntimeError("internal matter"), 500, "server_error"),
        (PermissionDenied("internal matter"), 403, "invalid_request"),
    ],
)
@pytest.mark.parametrize("path", [TOKEN, REVOKE, INTROSPECT, f"{TOKEN}/x"])
def test_what_breaks_before_the_view_is_said_in_the_endpoints_own_shape(
    path, raised, status, name
):
    def broken_middleware(_request):
        raise raised

    request = RequestFactory().post(path)
    response = convert_exception_to_response(broken_middleware)(request)

    assert (response.status_code, response["Pragma"]) == (status, "no-cache")
    assert json.loads(response.content)["error"] == name
    assert b"internal matter" not in response.content


@pytest.mark.parametrize("path", ["/oauth2/auth", "/", "/nowhere"])
def test_a_host_that_is_not_ours_gets_a_page_elsewhere(path):
    response = ask(path, host="evil.example")

    assert response.status_code == 400
    assert response["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("spoiled", SPOILED)
@pytest.mark.parametrize(
    "path", [TOKEN, REVOKE, INTROSPECT, OLD, METADATA, EVENTS, IDENTITY]
)
def test_a_program_gets_no_cookie_whatever_it_sends(path, spoiled):
    response = ask(path, cookies=SPOILED[spoiled])

    assert not response.cookies
    assert "Cookie" not in response.headers.get("Vary", "")


def test_a_browser_is_rid_of_a_spoiled_cookie_on_a_page():
    response = ask("/oauth2/access", cookies=SPOILED["malformed"])

    assert response.cookies["session"].value == ""
