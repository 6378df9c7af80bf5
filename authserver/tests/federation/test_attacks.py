"""What somebody may try who runs an issuer, a client or a browser; each is refused."""

import json
import time

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives import serialization

from authserver.models import SignInRules, User
from authserver.tests import factories
from authserver.tests.federation import issuer as issuers
from authserver.tests.federation.conftest import come_back, leave
from authserver.tests.federation.issuer import KEY, OTHER_KEY, Ahead, jwk
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases
SECRET = "provider secret of 32 bytes and more"
PUBLIC_PEM = KEY.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)


def refused(visitor, reason):
    assert (visitor.status, visitor.heading) != (200, "My account")
    assert visitor.response["x-svc-Reason"] == reason
    assert not User.objects.exists()
    assert "_auth_user_id" not in visitor.client.session


@pytest.fixture
def northgate_method(northgate):
    """Another institution with an issuer of its own."""
    with issuers.running() as other:
        SignInRules.objects.create(
            institution=northgate, passwords=False, arrivals=SignInRules.Arrivals.MAKE
        )
        method = factories.SignInMethodFactory(institution=northgate, issuer=other.url)
        method.running = other
        yield method


def test_an_answer_of_another_issuer_is_refused_before_its_code_is_sent(
    visitor, issuer, method, lakeview
):
    location = leave(visitor, lakeview)

    visitor.open(issuer.back(location, iss="https://evil.example"))

    refused(visitor, "issuer_wrong")
    assert "/token" not in [path for _, path, _ in issuer.asked]


def test_an_answer_without_the_promised_issuer_is_refused(
    visitor, issuer, method, lakeview
):
    visitor.open(issuer.back(leave(visitor, lakeview), iss=None))

    refused(visitor, "issuer_wrong")


def test_an_issuer_that_promises_no_iss_may_leave_it_out(visitor, issuer, method, lakeview):
    issuer.document = {"authorization_response_iss_parameter_supported": False}

    visitor.open(issuer.back(leave(visitor, lakeview), iss=None))

    assert visitor.heading == "My account"


def test_an_answer_to_one_provider_does_not_count_for_another(
    visitor, issuer, method, lakeview, northgate_method
):
    address = issuer.back(leave(visitor, lakeview))

    visitor.open(address.replace(method.provider_id, northgate_method.provider_id))

    refused(visitor, "trip_unknown")


def test_the_same_subject_at_two_issuers_is_two_accounts(
    visitor, issuer, method, lakeview, northgate, northgate_method
):
    come_back(visitor, issuer, lakeview)

    come_back(Visitor(), northgate_method.running, northgate)

    assert sorted(SocialAccount.objects.values_list("uid", "user__login")) == [
        ("ann-1", "ann@1002"),
        ("ann-1", "ann@1003"),
    ]


def test_another_institutions_issuer_reaches_no_account_whatever_it_claims(
    visitor, issuer, method, lakeview, northgate, northgate_method
):
    come_back(visitor, issuer, lakeview)
    ann = User.objects.get()
    other = northgate_method.running
    other.claims = {
        "sub": "ann-1",
        "preferred_username": "ann@1003",
        "email": ann.email,
        "iss": issuer.url,
        "principalID": ann.principal_id,
    }

    stranger = come_back(Visitor(), other, northgate)

    assert stranger.response["x-svc-Reason"] == "answer_invalid"
    del other.claims["iss"]
    come_back(Visitor(), other, northgate)
    assert User.objects.exclude(pk=ann.pk).get().institution == northgate


def test_two_providers_of_one_institution_do_not_share_subjects(
    visitor, issuer, method, lakeview
):
    with issuers.running() as other:
        second = factories.SignInMethodFactory(
            institution=lakeview, issuer=other.url, name="Second"
        )
        visitor.open("/oauth2/login?institution=1003")
        visitor.follow("Sign in with University account")
        visitor.open(issuer.back(visitor.left_for))

        stranger = Visitor()
        leave(stranger, lakeview, second)
        stranger.open(other.back(stranger.left_for))

        assert stranger.response["x-svc-Reason"] == "username_taken"
        assert SocialAccount.objects.count() == 1


def test_an_answer_counts_once(visitor, issuer, method, lakeview):
    address = issuer.back(leave(visitor, lakeview))
    visitor.open(address)
    assert visitor.heading == "My account"
    User.objects.all().delete()

    visitor.open(address)

    assert visitor.response["x-svc-Reason"] == "trip_unknown"
    assert not User.objects.exists()


def test_an_answer_counts_in_the_browser_that_asked(visitor, issuer, method, lakeview):
    address = issuer.back(leave(visitor, lakeview))

    stranger = Visitor().open(address)

    refused(stranger, "trip_unknown")


@pytest.mark.parametrize("state", [None, "", "x", "\x00", "x" * 5000])
def test_an_answer_without_its_state_is_refused(visitor, issuer, method, lakeview, state):
    visitor.open(issuer.back(leave(visitor, lakeview), state=state))

    refused(visitor, "trip_unknown")


def test_every_trip_has_state_nonce_and_pkce(visitor, issuer, method, lakeview):
    first, second = leave(visitor, lakeview), leave(Visitor(), lakeview)

    for name in ("state", "nonce", "code_challenge"):
        assert f"{name}=" in first
    assert "code_challenge_method=S256" in first
    assert first != second


def test_a_code_of_another_trip_is_refused_by_pkce(visitor, issuer, method, lakeview):
    stolen = issuer.authorize(leave(Visitor(), lakeview))["code"]

    visitor.open(issuer.back(leave(visitor, lakeview), code=stolen))

    refused(visitor, "provider_refused")


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "somebody-else"},
        {"aud": ["calendar", "somebody-else"]},
        {"aud": ["calendar", "somebody-else"], "azp": "somebody-else"},
        {"azp": "somebody-else"},
        {"iss": "https://evil.example"},
        {"nonce": None},
        {"nonce": "another"},
        {"exp": Ahead(-120)},
        {"iat": Ahead(600), "exp": Ahead(900)},
        {"nbf": Ahead(600)},
        {"exp": None},
        {"iat": None},
        {"aud": None},
        {"sub": None},
        {"exp": float("inf")},
        {"iat": float("inf")},
        {"nonce": "\ud800"},
        {"azp": ["somebody-else"]},
        {"aud": [["somebody-else"]]},
    ],
    ids=ascii,
)
def test_an_id_token_that_does_not_hold_is_refused(
    visitor, issuer, method, lakeview, claims
):
    issuer.token = claims

    come_back(visitor, issuer, lakeview)

    refused(visitor, "answer_invalid")


def test_a_clock_that_is_a_little_ahead_is_forgiven(visitor, issuer, method, lakeview):
    issuer.token = {"iat": Ahead(30)}

    assert come_back(visitor, issuer, lakeview).heading == "My account"


@pytest.mark.parametrize(
    "signs_with",
    [
        (None, "none", {"kid": "one"}),
        (OTHER_KEY, "RS256", {"kid": "one"}),
        (OTHER_KEY, "RS256", {"kid": "unknown"}),
        (SECRET, "HS256", {"kid": "one"}),
        (SECRET, "HS256", {}),
    ],
    ids=["none", "another key", "an unknown key", "the secret", "the secret, no kid"],
)
def test_a_signature_that_is_not_the_issuers_is_refused(
    visitor, issuer, method, lakeview, signs_with
):
    issuer.signs_with = signs_with

    come_back(visitor, issuer, lakeview)

    refused(visitor, "answer_invalid")


def test_the_public_key_is_not_taken_for_a_shared_secret(
    visitor, issuer, method, lakeview, monkeypatch
):
    # PyJWT would not sign with it either; here it is the attacker's own code.
    monkeypatch.setattr(
        jwt.algorithms.HMACAlgorithm,
        "prepare_key",
        lambda _self, key: key if isinstance(key, bytes) else bytes(key),
    )
    issuer.signs_with = (PUBLIC_PEM, "HS256", {"kid": "one"})

    come_back(visitor, issuer, lakeview)

    refused(visitor, "answer_invalid")


def test_a_key_that_came_with_the_token_is_not_used(visitor, issuer, method, lakeview):
    issuer.signs_with = (
        OTHER_KEY,
        "RS256",
        {"kid": "mine", "jwk": jwk(OTHER_KEY, "mine"), "jku": f"{issuer.url}/mine"},
    )

    come_back(visitor, issuer, lakeview)

    refused(visitor, "answer_invalid")
    assert "/mine" not in [path for _, path, _ in issuer.asked]


def test_a_symmetric_key_that_an_issuer_publishes_is_not_used(
    visitor, issuer, method, lakeview
):
    issuer.keys = [{"kty": "oct", "kid": "one", "k": "c2VjcmV0" * 8, "alg": "HS256"}]
    issuer.signs_with = (b"secret" * 8, "HS256", {"kid": "one"})

    come_back(visitor, issuer, lakeview)

    refused(visitor, "answer_invalid")


def test_a_new_key_of_the_issuer_counts_at_once(visitor, issuer, method, lakeview):
    come_back(visitor, issuer, lakeview)
    issuer.keys = [jwk(KEY, "one"), jwk(OTHER_KEY, "two")]
    issuer.signs_with = (OTHER_KEY, "RS256", {"kid": "two"})

    assert come_back(Visitor(), issuer, lakeview).heading == "My account"


def test_userinfo_of_somebody_else_is_refused(visitor, issuer, method, lakeview):
    issuer.userinfo = {**issuer.claims, "sub": "somebody-else"}

    come_back(visitor, issuer, lakeview)

    refused(visitor, "answer_invalid")


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"],
)
def test_no_parameter_leads_to_another_server(visitor, issuer, method, lakeview, target):
    names = ("next", "redirect_uri", "RelayState", "process", "auth_params", "scope")
    query = "&".join(f"{name}={target}" for name in names)
    visitor.open(f"/oauth2/login/at/{method.provider_id}?institution=1003&{query}")
    location = visitor.left_for
    assert "evil" not in location
    assert "javascript" not in location

    visitor.open(f"{issuer.back(location)}&{query}")

    assert (visitor.heading, visitor.left_for) == ("My account", "")


def test_a_discovery_document_of_another_issuer_is_not_believed(
    visitor, issuer, method, lakeview
):
    issuer.document = {"issuer": "https://accounts.example"}

    leave(visitor, lakeview)

    refused(visitor, "provider_misconfigured")


@pytest.mark.parametrize(
    "name", ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]
)
@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/", "http://10.0.0.1/", "http://localhost/", "file:///etc/",
     "javascript:alert(1)", "https://user:word@example.org/", "", None, 5],
)  # fmt: skip
def test_an_endpoint_that_leads_inside_is_not_believed(
    visitor, issuer, method, lakeview, name, address
):
    issuer.document = {name: address}

    leave(visitor, lakeview)

    refused(visitor, "provider_misconfigured")


@pytest.mark.parametrize("networks", [[], ["10.0.0.0/8"]])
def test_an_issuer_inside_is_not_asked(
    visitor, issuer, method, lakeview, settings, networks
):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FEDERATION_NETWORKS": networks}

    leave(visitor, lakeview)

    refused(visitor, "provider_unreachable")
    assert issuer.asked == []


def test_a_redirect_of_an_issuer_is_not_followed(visitor, issuer, method, lakeview):
    def elsewhere(handler):
        handler.send_response(302)
        handler.send_header("Location", f"{issuer.url}/inside")
        handler.end_headers()

    issuer.answers = {"/.well-known/openid-configuration": elsewhere}

    leave(visitor, lakeview)

    refused(visitor, "provider_unreachable")
    assert "/inside" not in [path for _, path, _ in issuer.asked]


ENDPOINTS = ["/.well-known/openid-configuration", "/token", "/keys", "/me"]


def endless(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(2**30))
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"x" * 65536)
    except OSError:
        pass


def dripping(handler):
    try:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b" ")
            time.sleep(0.05)
    except OSError:
        pass


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("answer", [endless, dripping], ids=["a gigabyte", "for ever"])
def test_an_answer_that_never_ends_is_left(
    visitor, issuer, method, lakeview, settings, path, answer
):
    settings.AUTHSERVER = {
        **settings.AUTHSERVER,
        "FEDERATION_SECONDS": 1.0 if answer is dripping else 60.0,
        "FEDERATION_MAX_BYTES": 300_000,
    }
    issuer.answers = {path: answer}

    location = leave(visitor, lakeview)
    if location:
        visitor.open(issuer.back(location))

    refused(visitor, "provider_unreachable")


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"5", b'"access_token"', b'["access_token"]', b"null", b"{}",
     b'{"access_token": 5}', b'{"access_token": "x", "id_token": 5}',
     b'{"access_token": "x", "expires_in": "soon"}', b"access_token=x", b"\xff\xfe",
     b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}", b'{"keys": 5}', b'{"keys": [5]}',
     b'{"keys": [{"kty": "RSA", "kid": "one"}]}',
     b'{"keys": [{"kty": "RSA", "kid": "one", "alg": "none"}]}', b'{"sub": {"a": 1}}',
     (500, {}), (204, b""), (302, {})],
    ids=lambda answer: str(answer)[:30],
)  # fmt: skip
def test_any_answer_of_an_issuer_is_refused_in_words(
    visitor, issuer, method, lakeview, path, answer
):
    issuer.answers = {path: answer}

    location = leave(visitor, lakeview)
    if location:
        visitor.open(issuer.back(location))

    assert visitor.heading == "You are not signed in"
    assert visitor.status in {403, 502}
    assert not User.objects.exists()


def test_claims_of_any_shape_and_size_are_bounded(visitor, issuer, method, lakeview):
    issuer.userinfo = {
        **issuer.claims,
        **{f"claim{number}": "x" * 2000 for number in range(300)},
        "many": ["x"] * 5000,
        "deep": {"a": {"b": {"c": {"d": 1}}}},
        "name": "\ud800\x00" * 10,
    }

    assert come_back(visitor, issuer, lakeview).heading == "My account"


def test_secrets_are_stored_encrypted_and_shown_nowhere(
    visitor, issuer, method, lakeview, caplog
):
    come_back(visitor, issuer, lakeview)

    assert SECRET not in json.dumps(method.encrypted_secret)
    assert SECRET not in visitor.response.content.decode()
    assert SECRET not in caplog.text
