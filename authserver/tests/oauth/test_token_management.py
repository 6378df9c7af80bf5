"""Revocation, introspection, metadata (RFC 7009, 7662, 8414) as decisions 4 has them."""

import pytest
from django.utils import timezone

from authserver.models import AccessToken, AuditEvent, RefreshToken
from authserver.tests import factories
from authserver.tests.oauth_client import TokenClient, assert_error, basic

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def user():
    return factories.UserFactory(username="alice", institution__registry_id="1001")


@pytest.fixture
def service():
    return factories.ServiceFactory(code="calendar_events")


@pytest.fixture
def spa(user, service):
    return factories.ServiceKeyFactory(
        client_id="spa", services=[service], institutions=[user.institution]
    )


@pytest.fixture
def resource(service):
    """A resource server: another key, with a secret and the same service."""
    return factories.ServiceKeyFactory(client_id="res", secret="s3", services=[service])


@pytest.fixture
def pair(user, spa):
    refresh = factories.RefreshTokenFactory(user=user, application=spa, token_text="rt_1")
    access = factories.AccessTokenFactory(
        user=user,
        application=spa,
        token_text="tk_1",
        token_family=refresh.token_family,
        scope="calendar_events refresh_token",
    )
    return access, refresh


# --- Revocation -------------------------------------------------------------------------


@pytest.fixture
def revoke():
    return TokenClient("/oauth2/revoke")


@pytest.mark.parametrize("token", ["tk_1", "rt_1"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_either_token_revokes_the_family(revoke, pair, token, hint):
    response = revoke.form(client_id="spa", token=token, token_type_hint=hint)

    assert (response.status_code, response.json()) == (200, {})
    assert response["Cache-Control"] == "no-store"
    assert AccessToken.objects.get().revoked_at is not None
    assert RefreshToken.objects.get().revoked is not None
    event = AuditEvent.objects.get()
    assert (event.action, event.actor, event.subject, event.client_id) == (
        "token_revoked",
        "spa",
        "alice@1001",
        "spa",
    )


def test_a_token_of_client_credentials_is_revoked_alone(revoke, spa, user):
    for text in ("tk_1", "tk_2"):
        factories.AccessTokenFactory(
            user=None, institution=user.institution, application=spa, token_text=text
        )

    revoke.form(client_id="spa", token="tk_1")

    assert AccessToken.objects.filter(revoked_at__isnull=True).count() == 1


@pytest.mark.parametrize("token", ["nope", "\x00", "é", "x" * 5000])
def test_an_unknown_token_is_no_error(revoke, pair, token):
    assert revoke.form(client_id="spa", token=token).status_code == 200
    assert not AuditEvent.objects.exists()


def test_a_token_of_another_client_stays(revoke, pair):
    factories.ServiceKeyFactory(client_id="mallory")

    response = revoke.form(client_id="mallory", token="tk_1")

    assert response.status_code == 200
    assert AccessToken.objects.get().revoked_at is None


def test_a_key_with_a_secret_must_authenticate_to_revoke(revoke, resource):
    assert revoke.form(client_id="res", token="x").json()["error"] == "invalid_client"
    headers = {"authorization": basic("res", "s3")}
    assert revoke.form(headers, token="x").status_code == 200


def test_revocation_takes_a_form_only(revoke, pair):
    response = revoke.query(client_id="spa", token="tk_1")

    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")
    assert AccessToken.objects.get().revoked_at is None


def test_revocation_needs_a_token(revoke, spa):
    body = revoke.form(client_id="spa").json()

    assert body["message"] == "required parameter 'token' is missing or blank"


# --- Introspection ----------------------------------------------------------------------


@pytest.fixture
def introspect(resource):
    return TokenClient("/oauth2/introspect", {"authorization": basic("res", "s3")})


def test_a_key_of_the_service_sees_the_token(introspect, pair, user):
    access, _ = pair

    body = introspect.form(token="tk_1").json()

    assert body == {
        "active": True,
        "scope": "calendar_events",
        "client_id": "spa",
        "token_type": "bearer",
        "exp": int(access.expires.timestamp()),
        "iss": "http://testserver",
        "contextInstitutionId": "1001",
        "principalID": user.principal_id,
        "principalIDNS": "urn:platform:1001",
        "sub": user.principal_id,
    }


def test_a_token_of_no_user_has_no_subject(introspect, spa, user):
    factories.AccessTokenFactory(
        user=None, institution=user.institution, application=spa, token_text="tk_2"
    )

    body = introspect.form(token="tk_2").json()

    assert body["active"]
    assert body["principalID"] == ""
    assert "sub" not in body


@pytest.mark.parametrize(
    "end",
    [
        lambda key, user: type(key).objects.filter(pk=key.pk).update(status="canceled"),
        lambda key, user: (
            type(key).objects.filter(pk=key.pk).update(expires_at=timezone.now())
        ),
        lambda key, user: key.service_links.all().delete(),
        lambda key, user: key.service_links.update(status="canceled"),
        lambda key, user: key.institution_links.all().delete(),
        lambda key, user: key.institutions.update(is_active=False),
        lambda key, user: type(user).objects.update(is_active=False),
        lambda key, user: AccessToken.objects.update(expires=timezone.now()),
        lambda key, user: AccessToken.objects.update(revoked_at=timezone.now()),
    ],
    ids=[
        *("key canceled", "key expired", "service off the key", "service canceled"),
        *("institution off the key", "institution inactive", "user disabled"),
        *("token expired", "token revoked"),
    ],
)
def test_what_has_ended_is_inactive(introspect, pair, spa, user, end):
    end(spa, user)

    assert introspect.form(token="tk_1").json() == {"active": False}


@pytest.mark.parametrize("token", ["nope", "rt_1", "\x00", "é"])
def test_what_is_no_access_token_is_inactive(introspect, pair, token):
    assert introspect.form(token=token).json() == {"active": False}


@pytest.mark.parametrize("status", ["canceled", None])
def test_a_key_without_the_service_learns_nothing(introspect, pair, resource, status):
    if status:
        resource.service_links.update(status=status)
    else:
        resource.service_links.all().delete()

    assert introspect.form(token="tk_1").json() == {"active": False}


CHALLENGE = 'Basic realm="http://testserver", charset="UTF-8"'


@pytest.mark.parametrize("path", ["introspect", "revoke"])
@pytest.mark.parametrize("named", [{}, {"client_id": "res"}, {"client_id": ""}])
def test_without_client_authentication_there_is_a_challenge(pair, resource, path, named):
    response = TokenClient(f"/oauth2/{path}").form(token="tk_1", **named)

    assert_error(response, 401, "invalid_client", "client authentication is required")
    assert response["WWW-Authenticate"] == CHALLENGE
    assert AccessToken.objects.get().revoked_at is None


@pytest.mark.parametrize("path", ["introspect", "revoke"])
def test_a_wrong_secret_is_challenged_with_basic(resource, path):
    response = TokenClient(f"/oauth2/{path}").form(
        client_id="res", client_secret="wrong", token="tk_1"
    )

    assert_error(response, 401, "invalid_client")
    assert response["WWW-Authenticate"] == CHALLENGE


def test_a_public_key_may_not_introspect(pair):
    response = TokenClient("/oauth2/introspect").form(client_id="spa", token="tk_1")

    assert_error(response, 401, "invalid_client", "client authentication is required")
    assert response.json()["details"] == "introspection is for service keys with a secret"
    assert response["WWW-Authenticate"] == CHALLENGE


def test_a_token_in_a_query_is_not_read(introspect, pair):
    response = introspect.query(token="tk_1")

    assert response.status_code == 400
    assert "tk_1" not in response.content.decode()


# --- Metadata ---------------------------------------------------------------------------


@pytest.mark.parametrize("slash", ["", "/"])
def test_metadata_says_what_the_server_does(client, service, slash):
    response = client.get(f"/.well-known/oauth-authorization-server{slash}")

    assert response["Content-Type"] == "application/json"
    assert response.json() == {
        "issuer": "http://testserver",
        "authorization_endpoint": "http://testserver/oauth2/auth",
        "token_endpoint": "http://testserver/oauth2/token",
        "revocation_endpoint": "http://testserver/oauth2/revoke",
        "introspection_endpoint": "http://testserver/oauth2/introspect",
        "scopes_supported": ["calendar_events", "refresh_token"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [
            "authorization_code",
            "refresh_token",
            "client_credentials",
        ],
        "token_endpoint_auth_methods_supported": [
            "none",
            "client_secret_basic",
            "client_secret_post",
        ],
        "revocation_endpoint_auth_methods_supported": [
            "none",
            "client_secret_basic",
            "client_secret_post",
        ],
        "introspection_endpoint_auth_methods_supported": [
            "client_secret_basic",
            "client_secret_post",
        ],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


def test_metadata_is_read_only(client):
    response = client.post("/.well-known/oauth-authorization-server")

    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD, OPTIONS"
