"""How a token request may be written, and how its errors are (decisions 4)."""

import pytest
from django.test import Client

from authserver.models import Grant
from authserver.tests import factories
from authserver.tests.oauth_client import (
    assert_error,
)

pytestmark = pytest.mark.django_db


# --- The form of the request ---


def test_query_and_body_at_once_are_refused(token, code_request):
    token.path = "/oauth2/token?grant_type=authorization_code"

    assert_error(token.form(**code_request()), 400, "invalid_request")


@pytest.mark.parametrize("form", ["query", "form"])
@pytest.mark.parametrize("name", ["grant_type", "code", "client_id", "anything"])
def test_a_repeated_parameter_is_refused(token, code_request, form, name):
    asked = code_request()
    if form == "form":
        response = token.form(raw=f"&{name}=x&{name}=x", **asked)
    else:
        token.path = f"/oauth2/token?{name}=x&{name}=x"
        response = token.client.generic("POST", token.path)

    assert_error(response, 400, "invalid_request", f"parameter {name} is repeated")
    assert Grant.objects.get().redeemed_at is None


def test_a_secret_in_the_query_is_refused(token, confidential, code_request):
    response = token.query(client_secret="web-secret", **code_request(confidential))

    assert_error(response, 400, "invalid_request")
    assert "web-secret" not in response.content.decode()


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "multipart/form-data; boundary=x", "text/plain", ""],
)
def test_another_body_type_is_415(token, code_request, content_type):
    assert_error(
        token.form(content_type=content_type, **code_request()),
        415,
        "invalid_request",
        "Unsupported Media Type",
    )


def test_a_charset_on_the_form_is_fine(token, code_request):
    response = token.form(
        content_type="application/x-www-form-urlencoded;charset=UTF-8", **code_request()
    )

    assert response.status_code == 200


@pytest.mark.parametrize("raw", ["&x=%ZZ", "&x=%ff", "&x=%"])
def test_a_body_that_cannot_be_decoded_is_refused(token, code_request, raw):
    assert_error(token.form(raw=raw, **code_request()), 400, "invalid_request")


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "head"])
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "accessToken"])
def test_another_method_is_405_in_the_same_shape(client, method, path):
    response = getattr(client, method)(f"/oauth2/{path}")

    assert response.status_code == 405
    assert response["Allow"] == "POST, OPTIONS"
    if method != "head":
        assert response.json()["message"] == "Method Not Supported"


@pytest.mark.parametrize("method", ["get", "post", "put"])
@pytest.mark.parametrize("path", ["token", "revoke", "introspect"])
def test_nothing_lies_below_an_endpoint(method, path):
    client = Client(enforce_csrf_checks=True)

    response = getattr(client, method)(f"/oauth2/{path}/more")

    assert_error(response, 404, "invalid_request", "Not Found")


@pytest.mark.parametrize("name", ["grant_type", "code", "redirect_uri", "client_id"])
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_parameter_is_named(token, code_request, name, value):
    assert_error(
        token.query(**code_request() | {name: value}),
        400,
        "invalid_request",
        f"required parameter '{name}' is missing or blank",
    )


@pytest.mark.parametrize("grant_type", ["password", "implicit", "CODE", "é", "x" * 5000])
def test_another_grant_type_is_refused(token, code_request, grant_type):
    assert_error(
        token.form(**code_request(grant_type=grant_type)), 400, "unsupported_grant_type"
    )


def test_parameters_that_oauthlib_would_take_for_its_own_change_nothing(
    token, code_request, public
):
    other = factories.UserFactory()
    response = token.form(
        user=other.login,
        client="x",
        scopes="billing",
        scope="billing",
        refresh_token="FIXED",
        access_token="FIXED",
        extra_credentials="x",
        exchange="x",
        **code_request(),
    )

    body = response.json()
    assert (body["scopes"], body["principalID"]) == ("calendar_events", "p-1")
    assert "FIXED" not in str(body)


# --- Error bodies ---


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("application/xml", "application/xml; charset=utf-8"),
        ("text/xml", "application/xml; charset=utf-8"),
        ("application/json;q=0.5, application/xml", "application/xml; charset=utf-8"),
        ("application/json, application/xml", "application/json"),
        ("*/*", "application/json"),
        ("", "application/json"),
        ("text/html", "application/json"),
        ("nonsense", "application/json"),
    ],
)
def test_errors_are_xml_only_where_that_is_preferred(token, accept, content_type):
    response = token.query(headers={"accept": accept})

    assert response.status_code == 400
    assert response["Content-Type"] == content_type
    assert response["Cache-Control"] == "no-store"
    assert response["Vary"] == "Accept, Authorization"
    if "xml" in content_type:
        assert b"<code>400</code>" in response.content


def test_a_description_keeps_to_the_characters_of_the_standard(token):
    response = token.query(
        grant_type="authorization_code",
        code="c",
        redirect_uri="r",
        client_id='a"b\\cé\x7f',
    )

    assert_error(response, 401, "invalid_client")
    assert response.json()["error_description"] == "service key a'b/c?? is invalid"


@pytest.fixture
def serve_with(settings, token):
    def serve_with(name):
        token.client.raise_request_exception = False
        settings.OAUTH2_PROVIDER = {
            **settings.OAUTH2_PROVIDER,
            "OAUTH2_SERVER_CLASS": f"authserver.tests.broken.{name}",
        }

    return serve_with


def test_an_unforeseen_failure_says_nothing_internal(token, serve_with):
    serve_with("Broken")

    response = token.query(grant_type="client_credentials")

    assert_error(response, 500, "server_error", "Internal Server Error")
    assert "internal detail" not in response.content.decode()
    assert response.json()["details"].startswith("request identifier: ")


def test_a_busy_database_says_when_to_try_again(token, serve_with):
    serve_with("Locked")

    response = token.query(grant_type="client_credentials")

    assert_error(response, 503, "temporarily_unavailable", "Service Unavailable")
    assert int(response["Retry-After"]) > 0
