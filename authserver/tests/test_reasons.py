"""Refusals of the authorization server say their reason, and the redirect says no more."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from lxml import etree

from authserver.tests import factories
from authserver.tests.oauth_client import TokenClient, basic, make_key
from platform_errors.tests.clients import authorization

pytestmark = pytest.mark.django_db

TOKEN = "/oauth2/token"
GRANT = {
    "grant_type": "authorization_code",
    "code": "auth_unknown",
    "client_id": "spa",
    "redirect_uri": "https://client.example/cb",
    "code_verifier": "v" * 43,
}


@pytest.fixture
def user():
    return factories.UserFactory(username="alice", institution__registry_id="1001")


@pytest.fixture
def keys(user):
    make_key(user, "spa")
    make_key(user, "server", secret="a-secret")
    make_key(user, "old", secret="a-secret", old_generation=True)


def server(secret):
    return {"authorization": basic("server", secret)}


REFUSED = [
    (GRANT, {}, 400, "invalid_grant"),
    ({**GRANT, "client_id": "nobody"}, {}, 401, "key_invalid"),
    ({**GRANT, "grant_type": "password"}, {}, 400, "unsupported_grant_type"),
    ({**GRANT, "code": ""}, {}, 400, "invalid_request"),
    (
        {"grant_type": "client_credentials", "client_id": "spa"},
        {},
        400,
        "unauthorized_client",
    ),
    ({"grant_type": "client_credentials"}, server("wrong"), 401, "secret_mismatch"),
    (
        {"grant_type": "client_credentials"},
        server("a-secret"),
        400,
        "scope_missing",
    ),
    (
        {"grant_type": "client_credentials", "scope": "a\tb"},
        server("a-secret"),
        400,
        "invalid_scope",
    ),
    (
        {"grant_type": "client_credentials", "scope": "billing"},
        server("a-secret"),
        403,
        "service_not_on_key",
    ),
    (GRANT, {"authorization": "Basic !"}, 401, "basic_malformed"),
    (GRANT, {"authorization": "Digest x"}, 401, "authorization_scheme_unknown"),
]


@pytest.mark.parametrize(
    ("values", "headers", "status", "reason"), REFUSED, ids=[row[3] for row in REFUSED]
)
@pytest.mark.parametrize("accept", ["application/json", "application/xml"])
def test_the_token_endpoint_says_the_reason(keys, values, headers, status, reason, accept):
    response = TokenClient(TOKEN, {**headers, "accept": accept}).query(**values)

    assert (response.status_code, response["x-svc-Reason"]) == (status, reason)
    assert "x-svc-Reason" in response["Access-Control-Expose-Headers"]
    if accept == "application/json":
        assert response.json()["reason"] == reason
    else:
        names = [
            etree.QName(child).localname for child in etree.fromstring(response.content)
        ]
        assert names == ["code", "message", "detail"]


@pytest.mark.parametrize(
    "path", ["/oauth2/revoke", "/oauth2/introspect", "/oauth2/token/x"]
)
def test_its_neighbours_say_the_reason_too(keys, path):
    response = Client().post(path, headers={"authorization": "Digest x"})

    assert response.json()["reason"] == response["x-svc-Reason"]


def forged(path):
    """A client whose header is signed for another query, long ago."""
    header = authorization(
        "POST", path, client_id="old", secret="a-secret", timestamp="1", nonce="n-1"
    )
    return TokenClient(path, {"authorization": header})


def test_a_bad_signature_shows_the_lines_without_codes_and_tokens(keys):
    response = forged(TOKEN).query(
        grant_type="refresh_token", refresh_token="rt_opensesame", scope="a b"
    )

    body = response.json()
    assert (response.status_code, body["reason"]) == (401, "signature_invalid")
    assert body["message"] == body["error_description"]
    assert body["canonical_request"].splitlines()[4:] == [
        "grant_type=refresh_token",
        "refresh_token=[redacted]",
        "scope=a%20b",
    ]
    assert body["string_to_sign"] == f"old\n1\nn-1\n\n{body['canonical_request']}"
    assert b"opensesame" not in response.content


def test_the_old_generations_body_stays_and_its_header_has_the_reason(keys):
    response = forged("/oauth2/accessToken").query(
        grant_type="client_credentials", scope="calendar_events"
    )

    assert response.json().keys() == {"code", "message", "details"}
    assert response["x-svc-Reason"] == "signature_invalid"


AUTHORIZE = {
    "client_id": "spa",
    "redirect_uri": "https://client.example/cb",
    "response_type": "code",
    "scope": "calendar_events",
    "state": "s",
    "code_challenge": "c" * 43,
    "code_challenge_method": "S256",
}


def test_an_authorization_redirect_keeps_its_four_parameters(keys):
    response = Client().get("/oauth2/auth", {**AUTHORIZE, "response_type": "token"})

    query = parse_qs(urlsplit(response["Location"]).query)
    assert response.status_code == 302
    assert query.keys() - {"iss"} == {"error", "error_description", "http_code", "state"}
    assert response["x-svc-Reason"] == "unsupported_response_type"


def test_a_refusal_that_is_a_page_of_ours_says_the_reason_in_its_header(keys):
    address = "https://elsewhere.example/cb"

    response = Client().get("/oauth2/auth", {**AUTHORIZE, "redirect_uri": address})

    assert response.status_code == 403
    assert response["x-svc-Reason"] == "redirect_uri_mismatch"


def logged(caplog):
    return [
        (record.method, record.path, record.status_code, record.reason, record.key)
        for record in caplog.records
        if record.name == "platform_errors.errors.log"
    ]


def test_what_is_refused_is_logged_with_the_key_and_without_the_rest(keys, caplog):
    TokenClient(TOKEN).query(**GRANT)
    TokenClient(TOKEN, server("wrong")).query(grant_type="client_credentials")
    Client().get("/oauth2/auth", {**AUTHORIZE, "scope": "billing"})

    assert logged(caplog) == [
        ("POST", TOKEN, 400, "invalid_grant", "spa"),
        ("POST", TOKEN, 401, "secret_mismatch", "server"),
        ("GET", "/oauth2/auth", 302, "service_not_on_key", "spa"),
    ]
    assert "auth_unknown" not in caplog.text
