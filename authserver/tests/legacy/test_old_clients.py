"""Token requests as the peer's public client libraries write them, byte for byte."""

import secrets
import time
from urllib.parse import quote

import pytest
from django.test import Client

from authserver.tests import factories
from authserver.tests.oauth_client import new_code
from platform_errors.conf import conf
from platform_errors.signing import algorithm, canonicalization

pytestmark = pytest.mark.django_db

REDIRECT = "https://client.example/cb?app=1"


@pytest.fixture
def user():
    return factories.UserFactory(username="alice", institution__registry_id="128807")


@pytest.fixture
def key(user):
    services = [factories.ServiceFactory(code=code) for code in ("WMS_NCIP", "WMS_ACQ")]
    return factories.ServiceKeyFactory(
        client_id="wskey",
        secret="c2VjcmV0IGxpa2UgYmFzZTY0",
        old_generation=True,
        institutions=[user.institution],
        services=services,
        redirect_uris=REDIRECT,
    )


def sign(query_lines, nonce):
    timestamp = str(int(time.time()))
    message = "\n".join(
        ["wskey", timestamp, nonce, "", "POST"]
        + [str(part) for part in algorithm.signature_target(conf.hmac_signature_url)]
        + query_lines
    )
    return timestamp, algorithm.sign(f"{message}\n".encode(), b"c2VjcmV0IGxpa2UgYmFzZTY0")


def canonical(query):
    return canonicalization.canonical_query(query.encode()).splitlines()


def post(query, header):
    """Send it as those libraries do: no body, no Content-Type, often no Accept."""
    return Client().generic(
        "POST",
        "/oauth2/accessToken",
        b"",
        content_type="",
        QUERY_STRING=query,
        HTTP_AUTHORIZATION=header,
    )


def node(query):
    """node: ``clientID``, a comma and a space, decimal nonces; addresses unencoded."""
    nonce = str(secrets.randbelow(2**32))
    timestamp, signature = sign(canonical(query), nonce)
    return (
        f'{conf.hmac_scheme_url} clientID="wskey", timestamp="{timestamp}", '
        f'nonce="{nonce}", signature="{signature}"'
    )


def python(query):
    """python: no spaces, extras sorted, and a ``+`` signed as ``%2B``."""
    nonce = hex(secrets.randbits(32))
    lines = canonical(query.replace("+", "%2B"))
    timestamp, signature = sign(lines, nonce)
    return (
        f'{conf.hmac_scheme_url} clientID="wskey",timestamp="{timestamp}",nonce="{nonce}",'
        f'signature="{signature}",password="p",principalID="",principalIDNS="",userid="u"'
    )


def php(query):
    """php: ``clientId`` and the principal behind the signature."""
    nonce = f"{secrets.randbits(32):08x}"
    timestamp, signature = sign(canonical(query), nonce)
    return (
        f'{conf.hmac_scheme_url} clientId="wskey", timestamp="{timestamp}", '
        f'nonce="{nonce}", signature="{signature}"'
    )


def trailing_comma(query):
    """A library that appends an empty list of principal parameters."""
    return f"{php(query)}, "


def encoding_twice(query):
    """A library that signs the text of the address and encodes that once more."""
    nonce = f"{secrets.randbits(32):08x}"
    pieces = (piece.partition("=") for piece in query.split("&"))
    lines = sorted(f"{name}={quote(value, safe='')}" for name, _, value in pieces)
    timestamp, signature = sign(lines, nonce)
    return (
        f'{conf.hmac_scheme_url} clientId="wskey", timestamp="{timestamp}", '
        f'nonce="{nonce}", signature="{signature}"'
    )


LIBRARIES = [node, python, php, trailing_comma, encoding_twice]
INSTITUTIONS = "authenticatingInstitutionId=128807&contextInstitutionId=128807"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_redeems_a_code_and_refreshes(user, key, library):
    scope = "WMS_NCIP WMS_ACQ refresh_token"
    code = new_code(user=user, key=key, scope=scope, redirect_uri=REDIRECT)
    address = REDIRECT.replace("=", "%3D") if library is node else quote(REDIRECT, safe="")
    query = (
        f"grant_type=authorization_code&code={code}&{INSTITUTIONS}&redirect_uri={address}"
    )

    first = post(query, library(query)).json()
    query = f"grant_type=refresh_token&refresh_token={first['refresh_token']}"
    second = post(query, library(query)).json()

    assert first["context_institution_id"] == first["contextInstitutionId"] == "128807"
    assert isinstance(first["expires_in"], int)
    assert isinstance(first["refresh_token_expires_in"], int)
    assert time.strptime(first["expires_at"], "%Y-%m-%d %H:%M:%SZ")
    assert second["access_token"].startswith("tk_")


@pytest.mark.parametrize(
    ("library", "scope"),
    [
        (node, "WMS_NCIP%20WMS_ACQ"),
        (php, "WMS_NCIP+WMS_ACQ"),
        (python, "WMS_NCIP+WMS_ACQ"),
        (python, "WMS_NCIP%20WMS_ACQ"),
        (trailing_comma, "WMS_NCIP+WMS_ACQ"),
        (encoding_twice, "WMS_NCIP%20WMS_ACQ"),
    ],
)
def test_a_library_gets_a_token_for_itself(key, library, scope):
    query = f"grant_type=client_credentials&{INSTITUTIONS}&scope={scope}"

    body = post(query, library(query)).json()

    assert body["scopes"] == "WMS_NCIP WMS_ACQ"
    assert body["authenticating_institution_id"] == "128807"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_can_read_the_error(key, library):
    query = f"grant_type=client_credentials&{INSTITUTIONS}&scope=NOPE"

    response = post(query, library(query))

    assert response.status_code == 403
    body = response.json()
    assert isinstance(body["code"], int)
    assert body["message"] == "Invalid scope(s): NOPE (NOPE) [Not on key]"
    assert body["details"]
    assert "error" not in body
