"""No input yields a 500, an unverified redirect, a leaked secret or a second token."""

from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from authserver.authorization import requests
from authserver.authorization.requests import AuthorizationError, AuthorizationRequest
from authserver.legacy.client_generation import OLD
from authserver.models import AccessToken, Grant
from authserver.oauth.client_generation import PRESENT
from authserver.tests import factories
from authserver.tests.oauth_client import (
    FORM,
    REDIRECT,
    TokenClient,
    basic,
    challenge_of,
    new_code,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

examples = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
SECRET = "s3cr3tOfTheKeyThatMustNotLeak"
VERIFIER = "v" * 43
ALLOWED = {200, 400, 401, 403, 404, 405, 413, 415}

# Text that trips parsers, beside plain words of the protocol.
odd = st.one_of(
    st.text(max_size=30),
    st.binary(max_size=20).map(lambda raw: raw.decode("latin-1")),
    st.sampled_from(
        ["", " ", "\x00", "\ud800", "%ZZ", "a" * 3000, "1001", "spa", "web", REDIRECT]
    ),
)
NAMES = [
    "grant_type",
    "code",
    "client_id",
    "client_secret",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "scope",
    "token",
    "contextInstitutionId",
    "authenticatingInstitutionId",
    "response_type",
    "state",
    "code_challenge",
    "code_challenge_method",
]
GOOD = {
    "client_id": "spa",
    "redirect_uri": REDIRECT,
    "response_type": "code",
    "scope": "calendar_events",
    "code_challenge": challenge_of(VERIFIER),
    "code_challenge_method": "S256",
}
pairs = st.lists(st.tuples(st.sampled_from(NAMES) | odd, odd), max_size=8)


def encode(values):
    return urlencode(values, errors="surrogatepass")


@pytest.fixture
def user():
    return factories.UserFactory(institution__registry_id="1001")


@pytest.fixture
def keys(user):
    service = factories.ServiceFactory(code="calendar_events")
    shared = {"services": [service], "institutions": [user.institution]}
    return {
        "spa": factories.ServiceKeyFactory(client_id="spa", **shared),
        "web": factories.ServiceKeyFactory(
            client_id="web", secret=SECRET, old_generation=True, **shared
        ),
    }


@examples
@given(
    path=st.sampled_from(["token", "accessToken", "revoke", "introspect"]),
    query=pairs,
    body=pairs,
    raw=st.binary(max_size=40),
    header=st.one_of(
        st.none(),
        st.binary(max_size=60).map(lambda raw: raw.decode("latin-1")),
        st.sampled_from(
            ["Basic ", basic("web", SECRET), basic("web", "x"), "Bearer tk_x", "a, b c"]
        ),
        st.text("clientId=\"', nonce", max_size=60).map(
            "http://platform.example/hmac/v2/v1 {}".format
        ),
    ),
    accept=st.sampled_from(["", "application/xml", "*/*", "é", "application/json;q=x"]),
    content_type=st.sampled_from([FORM, FORM + "; charset=x", "application/json", "", "é"]),
)
def test_no_bytes_break_the_endpoints_or_leak_a_secret(
    keys, path, query, body, raw, header, accept, content_type
):
    headers = {"HTTP_AUTHORIZATION": header} if header is not None else {}
    response = Client(raise_request_exception=False).generic(
        "POST",
        f"/oauth2/{path}",
        (encode(body).encode() + raw) if body else raw,
        content_type=content_type,
        QUERY_STRING=encode(query),
        HTTP_ACCEPT=accept,
        **headers,
    )

    assert response.status_code in ALLOWED
    assert response["Cache-Control"] == "no-store"
    assert "html" not in response["Content-Type"]
    assert SECRET not in response.content.decode()
    assert SECRET not in str(response.headers)


redemption = {
    "grant_type": "authorization_code",
    "client_id": "spa",
    "redirect_uri": REDIRECT,
    "code_verifier": VERIFIER,
}


@examples
@given(
    spoiled=st.lists(
        st.dictionaries(st.sampled_from([*redemption, "code"]), odd, max_size=2), max_size=4
    )
)
def test_a_code_never_brings_two_tokens_whatever_is_tried_first(user, keys, spoiled):
    AccessToken.objects.all().delete()
    code = new_code(user=user, key=keys["spa"], verifier=VERIFIER)
    good = redemption | {"code": code}

    statuses = [
        Client(raise_request_exception=False)
        .generic("POST", "/oauth2/token", encode(good | changes), content_type=FORM)
        .status_code
        for changes in [*spoiled, {}, {}]
    ]

    assert set(statuses) <= ALLOWED
    assert statuses[-1] == 400
    assert statuses.count(200) <= 1
    assert AccessToken.objects.count() == statuses.count(200)


authorization_values = {
    "client_id": "spa",
    "redirect_uri": REDIRECT,
    "response_type": "code",
    "scope": "calendar_events",
    "state": "s",
    "code_challenge": challenge_of(VERIFIER),
    "code_challenge_method": "S256",
}


@examples
@given(
    changes=st.dictionaries(st.sampled_from([*authorization_values]), odd, max_size=3),
    extra=pairs,
    raw=st.binary(max_size=20),
    registry_id=st.none() | st.from_regex(r"[0-9]{1,40}", fullmatch=True),
    old_generation=st.booleans(),
)
def test_nothing_is_ever_sent_to_an_address_that_is_not_registered(
    keys, changes, extra, raw, registry_id, old_generation
):
    query = encode([*(authorization_values | changes).items(), *extra]).encode() + raw

    try:
        outcome = requests.validate(
            query,
            registry_id=registry_id,
            now=timezone.now(),
            generation=OLD if old_generation else PRESENT,
        )
    except AuthorizationError as refused:
        outcome = refused

    if outcome.redirect_uri is not None:
        assert outcome.redirect_uri == REDIRECT
    if isinstance(outcome, AuthorizationError) and outcome.location is not None:
        location = urlsplit(outcome.location)
        assert (location.scheme, location.netloc, location.path) == (
            "https",
            "client.example",
            "/cb",
        )
        assert outcome.location.isascii()
        assert outcome.location.isprintable()
        assert " " not in outcome.location


@examples
@given(query=pairs, raw=st.binary(max_size=40), path=st.sampled_from(["", "/1001", "/9"]))
@example(query=list(GOOD.items()), raw=b"", path="/1001")
@example(query=list(GOOD.items()), raw=b"", path="/9")
def test_no_bytes_break_the_authorization_endpoint(keys, query, raw, path):
    response = Client(raise_request_exception=False).generic(
        "GET",
        f"/oauth2/auth{path}",
        QUERY_STRING=encode(query) + quote(raw),
    )

    assert response.status_code in ALLOWED | {302}
    if response.status_code == 302:
        assert response["Location"].startswith((REDIRECT, "/oauth2/"))


@examples
@given(state=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80))
def test_state_survives_the_way_there_and_back(keys, state):
    query = encode(authorization_values | {"state": state, "scope": "nope"}).encode()

    with pytest.raises(AuthorizationError) as refused:
        requests.validate(query, registry_id=None, now=timezone.now())

    returned = parse_qs(urlsplit(refused.value.location).query, keep_blank_values=True)
    assert returned.get("state", [""]) == [state]
    assert Grant.objects.count() == 0


def test_the_good_requests_of_these_tests_are_good(user, keys):
    code = new_code(user=user, key=keys["spa"], verifier=VERIFIER)
    query = urlencode(authorization_values).encode()

    assert TokenClient().form(**redemption, code=code).status_code == 200
    assert isinstance(
        requests.validate(query, registry_id=None, now=timezone.now()),
        AuthorizationRequest,
    )
