"""Libraries that applications really use, against a server that really listens."""

import json
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from requests_oauthlib import OAuth2Session

from authserver.keys.store import ServiceKeyStore
from authserver.oauth.openid import subject_of
from authserver.tests import npm, openid
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

CALLBACK = "http://127.0.0.1/callback"
SCOPE = "calendar_events directory refresh_token"
OAUTH4WEBAPI = "3.8.3"
OPENID_CLIENT = "6.9.0"


@pytest.fixture
def server(live_server, settings, monkeypatch):
    """The address of a listening server, which is also its issuer."""
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ISSUER": live_server.url}
    # Both libraries refuse http unless told that this is a test.
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    return live_server.url


@pytest.fixture
def allow(alice):
    """Let alice log in and allow, in a browser; return the address she is sent back to."""

    def allow(address):
        visitor = Visitor()
        parts = urlsplit(address)
        visitor.open(f"{parts.path}?{parts.query}")
        visitor.press("Sign in", username="alice", password="correct horse battery staple")
        visitor.press("Allow")
        assert visitor.left_for
        return visitor.left_for

    return allow


def works(token):
    """Whether a resource server would take the token."""
    return ServiceKeyStore().find_token(token) is not None


def test_requests_oauthlib_gets_and_refreshes_a_token(server, key, allow):
    session = OAuth2Session(
        key.client_id, redirect_uri=CALLBACK, scope=SCOPE.split(), pkce="S256"
    )
    address, _ = session.authorization_url(f"{server}/oauth2/auth/1001")

    first = session.fetch_token(
        f"{server}/oauth2/token",
        authorization_response=allow(address),
        include_client_id=True,
    )
    second = session.refresh_token(f"{server}/oauth2/token", client_id=key.client_id)

    assert first["scope"] == SCOPE.split()
    assert first["contextInstitutionId"] == "1001"
    assert second["access_token"] != first["access_token"]
    assert works(second["access_token"])


def test_requests_oauthlib_authenticates_with_basic(server, confidential_key, allow):
    session = OAuth2Session(
        confidential_key.client_id, redirect_uri=CALLBACK, scope=SCOPE.split(), pkce="S256"
    )
    confidential_key.redirect_uris = CALLBACK
    confidential_key.save()
    address, _ = session.authorization_url(f"{server}/oauth2/auth/1001")

    token = session.fetch_token(
        f"{server}/oauth2/token",
        authorization_response=allow(address),
        client_secret="a secret",
    )

    assert works(token["access_token"])


def test_authlib_gets_and_refreshes_a_token(server, key, allow):
    session = AuthlibSession(
        key.client_id,
        redirect_uri=CALLBACK,
        scope=SCOPE,
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
        token_endpoint=f"{server}/oauth2/token",
    )
    verifier = "v" * 64
    address, state = session.create_authorization_url(
        f"{server}/oauth2/auth/1001", code_verifier=verifier
    )

    first = session.fetch_token(
        authorization_response=allow(address), state=state, code_verifier=verifier
    )
    before = dict(first)
    second = session.refresh_token(refresh_token=first["refresh_token"])

    assert before["scope"] == SCOPE
    assert before["principalIDNS"] == "urn:platform:1001"
    assert second["access_token"] != before["access_token"]
    assert works(second["access_token"])


def test_authlib_authenticates_with_the_secret_in_the_body(server, confidential_key):
    session = AuthlibSession(
        confidential_key.client_id,
        "a secret",
        scope="calendar_events context:1001",
        token_endpoint_auth_method="client_secret_post",
    )

    token = session.fetch_token(f"{server}/oauth2/token", grant_type="client_credentials")

    assert (token["contextInstitutionId"], token["principalID"]) == ("1001", "")
    assert works(token["access_token"])


def test_oauth4webapi_gets_refreshes_and_revokes_a_token(
    request, server, key, allow, tmp_path
):
    source = Path(__file__).with_name("oauth4webapi_client.mjs")
    script = npm.program(source, request.config, "oauth4webapi", OAUTH4WEBAPI, tmp_path)
    scope = f"{SCOPE} context:1001"

    with subprocess.Popen(
        ["node", str(script), server, key.client_id, CALLBACK, scope],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as node:
        address = json.loads(node.stdout.readline())["address"]
        out, errors = node.communicate(allow(address) + "\n", timeout=120)

    assert node.returncode == 0, errors
    result = json.loads(out)
    assert result["first"]["scope"] == scope
    assert result["first"]["token_type"] == "bearer"
    assert result["second"]["access_token"] != result["first"]["access_token"]
    assert result["revoked"] == 200
    assert not works(result["second"]["access_token"])


@pytest.fixture
def provider(server, settings):
    """The address of the server, with OpenID Connect switched on."""
    openid.switch_on(settings, issuer=server)
    return server


@pytest.fixture
def run(request, allow, tmp_path):
    """Run a program with a package of npm; let alice allow what it asks for."""

    def run(package, version, program, *arguments):
        source = Path(__file__).with_name(program)
        script = npm.program(source, request.config, package, version, tmp_path)
        with subprocess.Popen(
            ["node", str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as node:
            line = node.stdout.readline()
            assert line, node.stderr.read()
            out, errors = node.communicate(
                allow(json.loads(line)["address"]) + "\n", timeout=120
            )
        assert node.returncode == 0, errors
        return json.loads(out)

    return run


def test_openid_client_signs_a_user_in(provider, confidential_key, alice, run):
    result = run(
        *("openid-client", OPENID_CLIENT, "openid_client.mjs"),
        *(provider, "web", "a secret", CALLBACK),
        "openid profile email calendar_events context:1001 refresh_token",
    )

    assert result["claims"]["sub"] == result["userinfo"]["sub"] == subject_of(alice)
    assert result["userinfo"]["name"] == "Alice Archer"
    assert result["refreshed"]["access_token"]
    assert result["goodbye"].startswith(f"{provider}/oauth2/end-session?id_token_hint=")


def test_oauth4webapi_signs_a_user_in(provider, key, alice, run):
    result = run(
        *("oauth4webapi", OAUTH4WEBAPI, "oauth4webapi_openid_client.mjs"),
        *(provider, key.client_id, CALLBACK, "openid profile context:1001"),
    )

    assert result["claims"]["sub"] == subject_of(alice)
    assert result["userinfo"]["preferred_username"] == "alice"
