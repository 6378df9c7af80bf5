"""What the token endpoint answers when all is well (spec 2.2, decisions 4)."""

import re
from urllib.parse import urlencode

import pytest

from authserver.crypto import opaque
from authserver.models import AccessToken, AuditEvent, RefreshToken
from authserver.tests.oauth_client import (
    ALL,
    REDIRECT,
    TokenClient,
    new_code,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


# --- Success (spec 2.2) ---


def test_the_form_of_the_spec_gets_exactly_the_fields_of_the_spec(token, code_request):
    response = token.query(
        headers={"accept": "application/json"}, **code_request(scope="calendar_events")
    )

    body = response.json()
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert (response["Cache-Control"], response["Pragma"]) == ("no-store", "no-cache")
    assert re.fullmatch(r"tk_[A-Za-z0-9]{43}", body.pop("access_token"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", body.pop("expires_at"))
    assert body == {
        "token_type": "bearer",
        "expires_in": "1200",
        "scopes": "calendar_events",
        "scope": "calendar_events",
        "contextInstitutionId": "1001",
        "principalID": "p-1",
        "principalIDNS": "urn:platform:1001",
    }


def test_a_form_body_is_the_same(token, code_request):
    assert token.form(**code_request()).status_code == 200


def test_code_is_an_alias_of_authorization_code(token, code_request):
    assert token.query(**code_request(grant_type="code")).status_code == 200


def test_the_path_may_end_in_a_slash(code_request):
    assert TokenClient("/oauth2/token/").query(**code_request()).status_code == 200


def test_an_empty_body_may_have_any_content_type(token, code_request):
    response = token.client.generic(
        "POST", f"/oauth2/token?{urlencode(code_request())}", b"", "application/json"
    )

    assert response.status_code == 200


def test_refresh_token_in_the_scope_brings_one(token, code_request):
    body = token.query(**code_request(scope=ALL)).json()

    assert re.fullmatch(r"rt_[A-Za-z0-9]{43}", body["refresh_token"])
    assert body["refresh_token_expires_in"] == "604800"
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", body["refresh_token_expires_at"]
    )
    assert body["scopes"] == body["scope"] == ALL


def test_tokens_are_hashed_at_rest(token, code_request):
    body = token.query(**code_request(scope=ALL)).json()

    access, refresh = AccessToken.objects.get(), RefreshToken.objects.get()
    assert access.token == refresh.token == ""
    assert access.token_checksum == opaque.digest(body["access_token"])
    assert refresh.token_checksum == opaque.digest(body["refresh_token"])


def test_issuing_is_recorded_without_any_secret(token, code_request):
    asked = code_request(scope=ALL)
    body = token.query(**asked).json()

    event = AuditEvent.objects.get(action="token_issued")
    assert (event.actor, event.subject, event.client_id, event.registry_id) == (
        "spa",
        "alice@1001",
        "spa",
        "1001",
    )
    assert event.address == "127.0.0.1"
    assert event.request_id
    for secret in (body["access_token"], body["refresh_token"], asked["code"]):
        assert secret not in str(event.details)


def test_an_exchange_costs_few_statements(token, code_request, django_assert_num_queries):
    asked = code_request(scope=ALL)

    # key, grant, savepoint, spend, access token, refresh token, audit, release
    with django_assert_num_queries(8):
        token.query(**asked)


# --- What a token is good for afterwards ---


def test_a_narrowed_grant_is_a_narrowed_token(token, user, public, verifier):
    code = new_code(user=user, key=public, scope="directory", verifier=verifier)

    body = token.query(
        grant_type="authorization_code",
        code=code,
        client_id="spa",
        redirect_uri=REDIRECT,
        code_verifier=verifier,
    ).json()

    assert body["scopes"] == AccessToken.objects.get().scope == "directory"
