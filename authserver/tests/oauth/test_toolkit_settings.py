"""django-oauth-toolkit's settings: its checks hold, and no policy of it weakens ours."""

import pytest
from django.contrib import admin
from django.utils.module_loading import import_string
from oauth2_provider.checks import validate_bcp_configuration
from oauth2_provider.settings import DEFAULTS

from authserver import models
from authserver.models import AccessToken
from authserver.tests import factories
from authserver.tests.oauth_client import (
    ALL,
    REDIRECT,
    TokenClient,
    assert_error,
    make_key,
    new_code,
    new_verifier,
    refresh,
)

ADMINS = {
    "APPLICATION_ADMIN_CLASS": models.ServiceKey,
    "GRANT_ADMIN_CLASS": models.Grant,
    "ACCESS_TOKEN_ADMIN_CLASS": models.AccessToken,
    "REFRESH_TOKEN_ADMIN_CLASS": models.RefreshToken,
    "ID_TOKEN_ADMIN_CLASS": models.IDToken,
}
SERVERS = {
    "OAUTH2_SERVER_CLASS": (500, "server_error", "Broken"),
    "OAUTH2_VALIDATOR_CLASS": (400, "unauthorized_client", "Closed"),
}
PRACTICE = {
    *(name for name in DEFAULTS if name.startswith("COMPLIANT_BCP_")),
    "REFRESH_TOKEN_REUSE_PROTECTION",
} - {"COMPLIANT_BCP_RFC9700_REDIRECT_URI_SCHEME"}
"""RFC 9700, but for https alone: native applications use http on loopback addresses."""
OPENID = {
    "OIDC_ENABLED",
    "OIDC_ISS_ENDPOINT",
    "OIDC_RSA_PRIVATE_KEY",
    "OIDC_RSA_PRIVATE_KEYS_INACTIVE",
    "ID_TOKEN_EXPIRE_SECONDS",
    "OIDC_RP_INITIATED_LOGOUT_ENABLED",
    "OIDC_RP_INITIATED_LOGOUT_DELETE_TOKENS",
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT",
    "OIDC_RP_INITIATED_LOGOUT_STRICT_REDIRECT_URIS",
}
"""Tested in ``test_openid`` and ``test_end_session``."""
WEAKEST = {
    **dict.fromkeys(PRACTICE, False),
    "PKCE_REQUIRED": False,
    "ROTATE_REFRESH_TOKEN": False,
    "REFRESH_TOKEN_REUSE_PROTECTION": False,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 86400,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 1,
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 1,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 1,
    "ALLOW_URI_WILDCARDS": True,
    "REQUEST_APPROVAL_PROMPT": "auto",
}
WEAKER = {
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": {"PKCE_REQUIRED": False},
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": {"ALLOW_URI_WILDCARDS": True},
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": {"REFRESH_TOKEN_REUSE_PROTECTION": False},
}
"""What three of them only make an error of."""


@pytest.fixture
def token():
    client = TokenClient()
    client.client.raise_request_exception = False
    return client


@pytest.fixture
def asked():
    user = factories.UserFactory(username="alice", institution__registry_id="1001")
    verifier = new_verifier()
    code = new_code(user=user, key=make_key(user, "spa"), scope=ALL, verifier=verifier)
    return {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": "spa",
        "redirect_uri": REDIRECT,
        "code_verifier": verifier,
    }


def test_no_setting_is_there_that_no_test_here_knows(settings):
    known = ADMINS.keys() | SERVERS.keys() | PRACTICE | OPENID

    assert settings.OAUTH2_PROVIDER.keys() == known


def test_the_toolkits_checks_miss_nothing_but_https_for_native_applications(settings):
    silenced = [name for name in settings.SILENCED_SYSTEM_CHECKS if "oauth2" in name]

    missing = [message.id for message in validate_bcp_configuration(None)]

    assert missing == silenced == ["oauth2_provider.W008"]


@pytest.mark.parametrize("name", sorted(PRACTICE))
def test_a_practice_that_is_switched_off_is_reported(settings, name):
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | WEAKER.get(name, {name: False})

    assert len(validate_bcp_configuration(None)) == 2


@pytest.mark.parametrize(("name", "model"), ADMINS.items())
def test_an_admin_class_is_the_one_that_is_used(settings, name, model):
    used = type(admin.site._registry[model])

    assert used is import_string(settings.OAUTH2_PROVIDER[name])


@pytest.mark.django_db
@pytest.mark.parametrize("name", SERVERS)
def test_another_class_behaves_otherwise(settings, token, asked, name):
    status, error, other = SERVERS[name]
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | {
        name: f"authserver.tests.broken.{other}"
    }

    assert_error(token.query(**asked), status, error)


@pytest.mark.django_db
def test_the_toolkits_policy_weakens_nothing(settings, token, asked):
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | WEAKEST

    without = token.query(**asked | {"code_verifier": None})
    body = token.query(**asked).json()
    rotated = refresh(token, body["refresh_token"]).json()
    again = refresh(token, body["refresh_token"])

    assert_error(without, 400, "invalid_request")
    assert (body["expires_in"], body["refresh_token_expires_in"]) == ("1200", "604800")
    assert rotated["refresh_token"] != body["refresh_token"]
    assert_error(again, 400, "invalid_grant")
    assert not AccessToken.objects.filter(revoked_at__isnull=True).exists()
