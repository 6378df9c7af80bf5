"""Tokens for the client itself (decisions 4)."""

import pytest

from authserver.models import AccessToken, RefreshToken
from authserver.tests import factories
from authserver.tests.oauth_client import (
    assert_error,
    basic,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def credentials(token, **values):
    return token.form(
        headers={"authorization": basic("web", "web-secret")},
        **{"grant_type": "client_credentials"} | values,
    )


def test_client_credentials_act_for_no_user(token, confidential):
    body = credentials(token, scope="calendar_events refresh_token").json()

    assert (body["principalID"], body["principalIDNS"]) == ("", "")
    assert body["contextInstitutionId"] == "1001"
    assert "refresh_token" not in body
    assert body["scopes"] == "calendar_events refresh_token"
    assert AccessToken.objects.get().user is None
    assert not RefreshToken.objects.exists()


def test_client_credentials_need_a_key_with_a_secret(token, public):
    assert_error(
        token.form(
            grant_type="client_credentials", client_id="spa", scope="calendar_events"
        ),
        400,
        "unauthorized_client",
    )


@pytest.mark.parametrize("scope", [None, "", "refresh_token", "context:1001"])
def test_client_credentials_need_a_scope(token, confidential, scope):
    assert_error(
        credentials(token, scope=scope),
        400,
        "invalid_scope",
        "required parameter 'scope' is missing or blank",
    )


def test_client_credentials_need_services_of_the_key(token, confidential):
    assert_error(
        credentials(token, scope="billing directory"),
        403,
        "invalid_scope",
        "Invalid scope(s): billing (billing) [Not on key]",
    )


def test_client_credentials_choose_the_institution(token, confidential):
    factories.KeyInstitutionFactory(key=confidential, institution__registry_id="1002")
    scope = "calendar_events"

    assert_error(credentials(token, scope=scope), 400, "invalid_request")
    by_parameter = credentials(token, scope=scope, contextInstitutionId="1002").json()
    by_scope = credentials(token, scope=f"{scope} context:1002").json()
    scope_first = credentials(
        token, scope=f"{scope} context:1002", contextInstitutionId="1001"
    ).json()

    assert {
        body["contextInstitutionId"] for body in (by_parameter, by_scope, scope_first)
    } == {"1002"}


def test_client_credentials_cannot_choose_a_foreign_institution(token, confidential):
    assert_error(
        credentials(token, scope="calendar_events context:1003"),
        403,
        "unauthorized_client",
        "clientId web doesn't have access to contextInstitutionId 1003",
    )
