"""Answers without ``openid`` in the scope: byte for byte those of the specification."""

import re

import pytest

from authserver.tests import openid
from authserver.tests.conftest import CALLBACK, VERIFIER
from authserver.tests.oauth_client import TokenClient

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SCOPE = "calendar_events refresh_token context:1001"
OF_PROGRAMS = {
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
    "Vary": "Accept, Authorization",
    "Content-Type": "application/json",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
SHARED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Last-Modified, Location, Link, Allow, "
    "X-TEC-Total, X-TEC-TotalPages, WWW-Authenticate, Retry-After, x-svc-RequestId, "
    "x-svc-Reason",
}
OF_PAGES = {
    "Content-Type": "text/html; charset=utf-8",
    "Expires": "Fri, 20 Nov 2026 08:00:00 GMT",
    "Cache-Control": "max-age=0, no-cache, no-store, must-revalidate, private",
    "X-Frame-Options": "DENY",
    "Vary": "Cookie",
    "Content-Length": "0",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.fixture(params=["with keys", "without keys"], autouse=True)
def signing_keys(request, settings):
    """Whether the server offers OpenID Connect is nothing that such an answer shows."""
    if request.param == "with keys":
        openid.switch_on(settings)


@pytest.fixture
def at_grant(visitor, log_in, address, key, alice, clock):
    visitor.open(address(key, scope=SCOPE))
    return log_in()


@pytest.fixture
def answer(at_grant):
    """What the token endpoint answers to a code."""
    code = at_grant.press("Allow").answer["code"]
    return TokenClient().query(
        grant_type="authorization_code",
        client_id="spa",
        code=code,
        redirect_uri=CALLBACK,
        code_verifier=VERIFIER,
    )


def body(response):
    """Return the bytes, with a token's kind in place of the token."""
    return re.sub(rb'"(tk|rt)_[0-9A-Za-z]{43}"', rb'"\1"', response.content)


def headers(response):
    """Return all headers but the identifier of the request, and the length of the body."""
    found = dict(response.headers)
    assert len(found.pop("x-svc-RequestId")) == 36
    assert found.pop("Content-Length") == str(len(response.content))
    return found


def token_answer(alice, scope=SCOPE):
    return (
        '{"access_token": "tk", "token_type": "bearer", "expires_in": "1200", '
        '"expires_at": "2026-11-20 08:20:00Z", '
        f'"scopes": "{scope}", "scope": "{scope}", "contextInstitutionId": "1001", '
        f'"principalID": "{alice.principal_id}", "principalIDNS": "urn:platform:1001", '
        '"refresh_token": "rt", "refresh_token_expires_in": "604800", '
        '"refresh_token_expires_at": "2026-11-27 08:00:00Z"}'
    ).encode()


def test_a_code_is_answered_as_ever(answer, alice):
    assert body(answer) == token_answer(alice)
    assert headers(answer) == OF_PROGRAMS | SHARED


def test_a_refresh_token_is_answered_as_ever(answer, alice):
    token = answer.json()["refresh_token"]

    again = TokenClient().query(
        grant_type="refresh_token", client_id="spa", refresh_token=token
    )

    assert body(again) == token_answer(alice)
    assert headers(again) == OF_PROGRAMS | SHARED


def test_client_credentials_are_answered_as_ever(confidential_key, clock):
    answer = TokenClient().form(
        grant_type="client_credentials",
        client_id="web",
        client_secret="a secret",
        scope="calendar_events context:1001",
    )

    assert body(answer) == (
        b'{"access_token": "tk", "token_type": "bearer", "expires_in": "1200", '
        b'"expires_at": "2026-11-20 08:20:00Z", '
        b'"scopes": "calendar_events context:1001", '
        b'"scope": "calendar_events context:1001", "contextInstitutionId": "1001", '
        b'"principalID": "", "principalIDNS": ""}'
    )
    assert headers(answer) == OF_PROGRAMS | SHARED


def test_introspection_answers_as_ever(answer, confidential_key, alice):
    introspected = TokenClient("/oauth2/introspect").form(
        token=answer.json()["access_token"], client_id="web", client_secret="a secret"
    )

    assert (
        introspected.content
        == (
            '{"active": true, "scope": "calendar_events", "client_id": "spa", '
            '"token_type": "bearer", "exp": 1795162800, "iss": "http://testserver", '
            f'"contextInstitutionId": "1001", "principalID": "{alice.principal_id}", '
            f'"principalIDNS": "urn:platform:1001", "sub": "{alice.principal_id}"}}'
        ).encode()
    )
    assert headers(introspected) == OF_PROGRAMS


def test_revocation_answers_as_ever(answer):
    gone = TokenClient("/oauth2/revoke").form(
        token=answer.json()["access_token"], client_id="spa"
    )

    assert (gone.status_code, gone.content) == (200, b"{}")
    assert headers(gone) == OF_PROGRAMS | SHARED


def test_a_refusal_answers_as_ever(key):
    refused = TokenClient().query(
        grant_type="refresh_token", client_id="spa", refresh_token="rt_none"
    )

    assert refused.content == (
        b'{"error": "invalid_grant", '
        b'"error_description": "the refresh token is not valid", '
        b'"code": 400, "message": "the refresh token is not valid", '
        b'"details": "the refresh token is not valid", "reason": "invalid_grant"}'
    )
    assert headers(refused) == OF_PROGRAMS | SHARED | {"x-svc-Reason": "invalid_grant"}


DENIED = "error=access_denied&error_description=the%20user%20denied%20access&http_code=403"


@pytest.mark.parametrize(
    ("button", "query"), [("Allow", "code=auth"), ("Deny", DENIED)], ids=["allow", "deny"]
)
def test_the_grant_page_answers_as_ever(at_grant, button, query):
    response = at_grant.press(button).response

    found = dict(response.headers)
    location = re.sub("auth_[0-9A-Za-z]{43}", "auth", found.pop("Location"))
    assert location == (
        f"{CALLBACK}?{query}&state=some%20state%2F%26%3D&iss=http%3A%2F%2Ftestserver"
    )
    assert (response.status_code, response.content) == (302, b"")
    del found["x-svc-RequestId"]
    assert "form-action 'self'" in found.pop("Content-Security-Policy")
    assert found == OF_PAGES


def test_the_grant_page_asks_as_ever(at_grant):
    assert at_grant.text == (
        "Skip to the content Calendar platform Allow Campus Planner to act for you? "
        "Signed in as Alice Archer alice at Riverside University Use another account "
        "It asks to use, at Riverside University: "
        "Calendar Events See, create and change events. "
        "Stay connected Keep this access for 7 days without asking you again. "
        "Untick what it should not have. Your answer goes to client.example; the "
        "application never sees your password. Allow Deny "
        "You can withdraw this at any time under my account."
    )
    assert at_grant.values("scope") == ["calendar_events", "refresh_token"]


def test_the_metadata_is_as_ever(client, key):
    document = client.get("/.well-known/oauth-authorization-server").json()

    assert not {name for name in document if "oidc" in name or "id_token" in name}
    assert "openid" not in document["scopes_supported"]
