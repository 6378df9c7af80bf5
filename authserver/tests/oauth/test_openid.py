"""ID tokens, their keys, user info and discovery (OpenID Connect)."""

import base64
import hashlib
import json

import jwt
import pytest
from allauth.account.models import EmailAddress

from authserver.models import Service
from authserver.oauth.openid import read_id_token, subject_of
from authserver.tests import factories, openid
from authserver.tests.conftest import CALLBACK, VERIFIER
from authserver.tests.oauth_client import TokenClient, assert_error

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ISSUER = "http://testserver"
USERINFO = "/oauth2/userinfo"


@pytest.fixture(autouse=True)
def _switched_on(settings):
    openid.switch_on(settings)


@pytest.fixture
def answer_for(visitor, log_in, address, key, alice):
    """Sign alice in, let her allow a scope, and redeem the code."""

    def redeem(scope, **changes):
        visitor.open(address(key, scope=scope, **changes))
        if visitor.field("password") is not None:
            log_in()
        visitor.press("Allow")
        return TokenClient().form(
            grant_type="authorization_code",
            client_id=key.client_id,
            code=visitor.answer["code"],
            redirect_uri=CALLBACK,
            code_verifier=VERIFIER,
        )

    return redeem


def verified(client, token, audience="spa"):
    """Return the claims, verified as a relying party does by the published keys."""
    keys = client.get("/oauth2/jwks").json()["keys"]
    header = jwt.get_unverified_header(token)
    (key,) = [each for each in keys if each["kid"] == header["kid"]]
    return jwt.decode(
        token,
        jwt.PyJWK(key).key,
        algorithms=["RS256"],
        audience=audience,
        issuer=ISSUER,
        options={"require": ["exp", "iat", "sub", "auth_time", "nonce", "at_hash"]},
    )


def test_openid_brings_a_signed_id_token_about_user_nonce_and_sign_in(
    client, answer_for, alice, clock
):
    answer = answer_for("openid calendar_events", nonce="n-0S6_WzA2Mj").json()

    claims = verified(client, answer["id_token"])
    digest = hashlib.sha256(answer["access_token"].encode()).digest()[:16]
    assert claims["at_hash"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert claims["nonce"] == "n-0S6_WzA2Mj"
    assert claims["sub"] == subject_of(alice)
    assert claims["principalID"] == answer["principalID"] == alice.principal_id
    assert claims["auth_time"] == claims["iat"]
    assert claims["exp"] == claims["iat"] + 3600
    assert not {"name", "email"} & set(claims)
    assert answer["scope"] == "openid calendar_events"


@pytest.mark.parametrize("scope", ["profile", "email calendar_events"])
def test_profile_and_email_alone_are_services_that_nobody_has(client, address, key, scope):
    response = client.get(address(key, scope=scope))

    assert "error=invalid_scope" in response["Location"]
    assert "Not%20on%20key" in response["Location"]


def test_without_keys_openid_is_a_service_that_nobody_has(client, address, key, settings):
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "OIDC_ENABLED": False}

    response = client.get(address(key, scope="openid profile calendar_events"))

    assert "openid%20%28openid%29%20%5BNot%20on%20key%5D" in response["Location"]
    assert "profile%20%28profile%29%20%5BNot%20on%20key%5D" in response["Location"]


@pytest.mark.parametrize(
    "path", [USERINFO, "/oauth2/jwks", "/.well-known/openid-configuration"]
)
def test_without_keys_there_is_no_endpoint_of_openid_connect(client, settings, path):
    settings.OAUTH2_PROVIDER = {
        **settings.OAUTH2_PROVIDER,
        "OIDC_ENABLED": False,
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": False,
    }

    assert client.get(path).status_code == 404


def test_openid_alone_signs_in_without_any_service(client, answer_for):
    answer = answer_for("openid", nonce="n").json()

    assert answer["scope"] == "openid"
    assert verified(client, answer["id_token"])["nonce"] == "n"


def test_client_credentials_have_no_user_to_identify(confidential_key):
    response = TokenClient().form(
        grant_type="client_credentials",
        client_id="web",
        client_secret="a secret",
        scope="openid calendar_events context:1001",
    )

    assert_error(response, 400, "invalid_scope")


def test_user_info_tells_what_was_allowed(client, answer_for, alice):
    alice.email = "alice@riverside.example"
    alice.save()
    token = answer_for("openid profile email calendar_events").json()["access_token"]

    response = client.get(USERINFO, headers={"Authorization": f"Bearer {token}"})

    assert response.json() == {
        "sub": subject_of(alice),
        "contextInstitutionId": "1001",
        "principalID": alice.principal_id,
        "principalIDNS": "urn:platform:1001",
        "name": "Alice Archer",
        "preferred_username": "alice",
        "email": "alice@riverside.example",
        "email_verified": False,
    }
    assert response["Cache-Control"] == "no-store"
    assert client.post(USERINFO, headers={"Authorization": f"Bearer {token}"}).json() == (
        response.json()
    )


def test_a_confirmed_address_is_verified_in_the_claims(client, answer_for, alice):
    alice.email = "Alice@riverside.example"
    alice.save()
    EmailAddress.objects.create(
        user=alice, email="alice@riverside.example", verified=True, primary=True
    )
    answer = answer_for("openid email", nonce="n").json()

    authorization = {"Authorization": f"Bearer {answer['access_token']}"}
    claims = client.get(USERINFO, headers=authorization).json()

    assert claims["email_verified"] is True
    assert verified(client, answer["id_token"])["email_verified"] is True


def test_user_info_wants_a_token_with_openid(client, answer_for):
    token = answer_for("calendar_events").json()["access_token"]

    response = client.get(USERINFO, headers={"Authorization": f"Bearer {token}"})

    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("headers", "error"),
    [({}, ""), ({"Authorization": "Bearer tk_wrong"}, 'error="invalid_token"')],
    ids=["none", "wrong"],
)
def test_user_info_refuses_who_brings_no_live_token(client, headers, error):
    response = client.get(USERINFO, headers=headers)

    assert response.status_code == 401
    assert error in response["WWW-Authenticate"]


def test_user_info_stops_with_the_user(client, answer_for, alice):
    token = answer_for("openid").json()["access_token"]
    alice.is_active = False
    alice.save()

    response = client.get(USERINFO, headers={"Authorization": f"Bearer {token}"})

    assert response.status_code == 403


def test_an_old_key_stays_published_until_it_is_dropped(client, settings, answer_for):
    token = answer_for("openid", nonce="n").json()["id_token"]

    openid.switch_on(settings, signing=2, published=[1])
    assert verified(client, token)["nonce"] == "n"
    assert read_id_token(token)["nonce"] == "n"
    assert verified(client, answer_for("openid", nonce="m").json()["id_token"])

    openid.switch_on(settings, signing=2)
    assert read_id_token(token) is None


def test_a_token_signed_otherwise_is_none_of_ours(answer_for):
    genuine = answer_for("openid", nonce="n").json()["id_token"]
    claims = jwt.decode(genuine, options={"verify_signature": False})
    public = openid.private_key(1)

    forged = [
        jwt.encode(claims, None, algorithm="none"),
        jwt.encode(claims, hashlib.sha256(public.encode()).hexdigest(), algorithm="HS256"),
        jwt.encode(claims, openid.private_key(3), algorithm="RS256"),
        jwt.encode({**claims, "iss": "x"}, openid.private_key(1), algorithm="RS256"),
        genuine[:-4] + "AAAA",
        "a.b.c",
        "",
        "x" * 10_000,
        json.dumps({"payload": "e30", "signatures": []}),
    ]

    assert read_id_token(genuine)
    assert [read_id_token(text) for text in forged] == [None] * len(forged)


def test_the_subject_differs_between_institutions_that_share_an_identifier(
    alice, northgate
):
    other = factories.UserFactory(
        username="mallory", institution=northgate, principal_id=alice.principal_id
    )

    assert subject_of(other) != subject_of(alice)


def test_the_subject_survives_a_new_name(alice):
    before = subject_of(alice)

    alice.username = alice.full_name = "renamed"
    alice.save()

    assert subject_of(alice) == before


def test_discovery_says_what_the_server_does(client):
    document = client.get("/.well-known/openid-configuration")

    members = document.json()
    assert members["issuer"] == ISSUER
    assert members["jwks_uri"] == f"{ISSUER}/oauth2/jwks"
    assert members["userinfo_endpoint"] == f"{ISSUER}/oauth2/userinfo"
    assert members["end_session_endpoint"] == f"{ISSUER}/oauth2/end-session"
    assert members["id_token_signing_alg_values_supported"] == ["RS256"]
    assert members["scopes_supported"][:3] == ["openid", "profile", "email"]
    assert document["Access-Control-Allow-Origin"] == "*"
    assert "jwks_uri" not in client.get("/.well-known/oauth-authorization-server").json()


def test_a_service_cannot_take_the_name_of_an_identity_scope():
    service = Service(code="profile", name="Profile")

    with pytest.raises(Exception, match="is not a service"):
        service.full_clean()
