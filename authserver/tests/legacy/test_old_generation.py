"""The old generation's token endpoint, with signed requests (decisions 4)."""

import time
from urllib.parse import urlencode

import pytest

from authserver.models import AccessToken
from authserver.tests import factories
from authserver.tests.oauth_client import (
    REDIRECT,
    TokenClient,
    basic,
    new_code,
    new_verifier,
)
from platform_errors.tests.clients import authorization

pytestmark = pytest.mark.django_db

BOTH = {"authenticatingInstitutionId": "1001", "contextInstitutionId": "1001"}


@pytest.fixture
def user():
    return factories.UserFactory(username="alice", institution__registry_id="1001")


@pytest.fixture
def key(user):
    return factories.ServiceKeyFactory(
        client_id="old",
        secret="old-secret",
        old_generation=True,
        institutions=[user.institution],
        services=[factories.ServiceFactory(code="WMS_NCIP")],
    )


def signed(path="/oauth2/accessToken", *, signature=None, **values):
    query = urlencode(values)
    header = authorization(
        "POST",
        f"{path}?{query}",
        **{"client_id": "old", "secret": "old-secret"} | (signature or {}),
    )
    return TokenClient(path, {"authorization": header}).query(**values)


def redeem(user, key, *, signature=None, scope="WMS_NCIP refresh_token", **changes):
    values = {
        "grant_type": "authorization_code",
        "code": changes.pop("code", None) or new_code(user=user, key=key, scope=scope),
        "redirect_uri": REDIRECT,
        **BOTH,
    }
    return signed(signature=signature, **values | changes)


def test_a_code_is_redeemed_with_a_signature_and_no_verifier(user, key):
    response = redeem(user, key)

    body = response.json()
    assert response.status_code == 200
    assert body["expires_in"] == 1200
    assert body["refresh_token_expires_in"] == 604800
    assert body["context_institution_id"] == "1001"
    assert body["authenticating_institution_id"] == "1001"
    assert body["contextInstitutionId"] == "1001"
    assert (body["principalID"], body["principalIDNS"]) == (
        user.principal_id,
        "urn:platform:1001",
    )
    assert body["access_token"].startswith("tk_")


def test_a_refresh_token_is_used_with_a_signature(user, key):
    token = redeem(user, key).json()["refresh_token"]

    body = signed(grant_type="refresh_token", refresh_token=token).json()

    assert body["context_institution_id"] == "1001"
    assert body["refresh_token"] != token


def test_client_credentials_take_both_institutions(key):
    body = signed(grant_type="client_credentials", scope="WMS_NCIP", **BOTH).json()

    assert body["contextInstitutionId"] == "1001"
    assert (body["principalID"], body["principalIDNS"]) == ("", "")


@pytest.mark.parametrize("name", BOTH)
def test_either_institution_must_be_on_the_key(key, name):
    values = {"grant_type": "client_credentials", "scope": "WMS_NCIP", **BOTH}

    response = signed(**values | {name: "1002"})

    assert response.status_code == 403
    assert response.json() == {
        "code": 403,
        "message": "clientId old doesn't have access to contextInstitutionId 1002",
        "details": "clientId old doesn't have access to contextInstitutionId 1002",
    }


@pytest.mark.parametrize("name", BOTH)
def test_half_of_the_institutions_is_refused(key, name):
    response = signed(grant_type="client_credentials", scope="WMS_NCIP", **{name: "1001"})

    assert response.status_code == 400
    assert response.json().keys() == {"code", "message", "details"}


@pytest.mark.parametrize("name", BOTH)
def test_a_code_is_for_the_institution_it_was_granted_for(user, key, name):
    response = redeem(user, key, **{name: "1002"})

    assert response.status_code == 400
    assert not AccessToken.objects.exists()


def test_a_verifier_without_a_stored_challenge_is_refused(user, key):
    assert redeem(user, key, code_verifier="x" * 43).status_code == 400


def test_a_code_without_a_challenge_dies_with_the_right_to_leave_it_out(user, key):
    code = new_code(user=user, key=key, scope="WMS_NCIP")
    type(key).objects.update(old_generation=False)

    response = signed(
        "/oauth2/token",
        grant_type="authorization_code",
        code=code,
        redirect_uri=REDIRECT,
    )

    assert (response.status_code, response.json()["error"]) == (400, "invalid_grant")


def test_a_challenge_that_was_sent_is_enforced(user, key):
    verifier = new_verifier()
    code = new_code(user=user, key=key, scope="WMS_NCIP", verifier=verifier)

    without = redeem(user, key, code=code)
    right = redeem(user, key, code=code, code_verifier=verifier)

    assert (without.status_code, right.status_code) == (400, 200)


@pytest.mark.parametrize(
    ("signature", "status", "message"),
    [
        ({"secret": "wrong"}, 401, "request has invalid signature ("),
        ({"timestamp": "1"}, 401, "timestamp in request(1) is not valid"),
        ({"client_id": "nope"}, 401, "service key nope is invalid"),
    ],
)
def test_a_signature_that_does_not_hold_is_refused(user, key, signature, status, message):
    response = redeem(user, key, signature=signature)

    assert response.status_code == status
    assert response.json()["message"].startswith(message)
    assert "error" not in response.json()


def test_a_nonce_serves_once(user, key):
    now = str(int(time.time()))
    redeem(user, key, signature={"nonce": "once", "timestamp": now})

    response = redeem(user, key, signature={"nonce": "once", "timestamp": now})

    assert response.json()["message"] == "nonce in request is not unique"


def test_a_canceled_key_is_refused(user, key):
    code = new_code(user=user, key=key, scope="WMS_NCIP")
    type(key).objects.update(status="canceled")

    response = redeem(user, key, code=code)

    assert (response.status_code, response.json()["message"]) == (
        403,
        "service key has been canceled",
    )


def test_the_endpoint_is_closed_to_other_keys(user, key):
    code = new_code(user=user, key=key, scope="WMS_NCIP")
    type(key).objects.update(old_generation=False)

    assert redeem(user, key, code=code).status_code == 400


def test_a_signed_request_authenticates_at_the_new_endpoint_too(user, key):
    code = new_code(user=user, key=key, scope="WMS_NCIP")
    values = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": REDIRECT,
        "client_id": "old",
    }

    body = signed("/oauth2/token", **values).json()

    assert body["expires_in"] == "1200"
    assert "context_institution_id" not in body


def test_signature_and_client_id_must_agree(user, key):
    response = signed(
        "/oauth2/token", grant_type="client_credentials", scope="WMS_NCIP", client_id="x"
    )

    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


def test_signature_and_secret_at_once_are_refused(key):
    response = TokenClient(
        "/oauth2/token",
        {
            "authorization": authorization(
                "POST", "/oauth2/token", client_id="old", secret="old-secret"
            )
        },
    ).form(grant_type="client_credentials", scope="WMS_NCIP", client_secret="old-secret")

    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


def test_the_old_endpoint_takes_basic_as_well(key):
    client = TokenClient(
        "/oauth2/accessToken/", {"authorization": basic("old", "old-secret")}
    )

    body = client.form(grant_type="client_credentials", scope="WMS_NCIP").json()

    assert body["authenticating_institution_id"] == "1001"


def test_errors_are_xml_where_that_is_preferred(key):
    response = TokenClient("/oauth2/accessToken", {"accept": "application/xml"}).query()

    assert b"<message>required parameter" in response.content
