"""Applications that sign people out (OpenID Connect RP-Initiated Logout 1.0)."""

from urllib.parse import urlencode

import jwt
import pytest

from authserver.oauth.openid import subject_of
from authserver.tests import factories, openid
from authserver.tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db

AFTER = "https://client.example/goodbye"


@pytest.fixture(autouse=True)
def _switched_on(settings, key):
    openid.switch_on(settings)
    key.post_logout_redirect_uris = f"{AFTER}\nhttp://127.0.0.1/bye"
    key.save()


@pytest.fixture
def hint(alice):
    """Make an ID token as one that an application kept, expired long ago."""

    def make(user=alice, audience="spa", **changes):
        claims = {
            "iss": "http://testserver",
            "aud": audience,
            "sub": subject_of(user),
            "iat": 1,
            "exp": 2,
            **changes,
        }
        return jwt.encode(claims, openid.private_key(1), "RS256")

    return make


@pytest.fixture
def signed_in(visitor, alice):
    visitor.open("/oauth2/login?institution=1001")
    visitor.press("Sign in", username="alice", password=PASSWORD)
    return visitor


def end(visitor, **query):
    return visitor.open(f"/oauth2/end-session?{urlencode(query)}")


def is_signed_in(visitor):
    return "_auth_user_id" in visitor.client.session


def test_an_id_token_of_who_is_signed_in_ends_the_session(signed_in, hint):
    end(signed_in, id_token_hint=hint(), post_logout_redirect_uri=AFTER, state="s&1")

    assert signed_in.left_for == f"{AFTER}?state=s%261"
    assert not is_signed_in(signed_in)


def test_without_an_id_token_a_page_asks_first(signed_in):
    end(signed_in, client_id="spa", post_logout_redirect_uri=AFTER)

    assert (signed_in.heading, is_signed_in(signed_in)) == ("Sign out?", True)
    assert "Campus Planner" in signed_in.text
    assert signed_in.press("Sign out").left_for == AFTER
    assert not is_signed_in(signed_in)


def test_an_id_token_of_somebody_else_asks_first(signed_in, hint, riverside):
    end(signed_in, id_token_hint=hint(factories.UserFactory(institution=riverside)))

    assert (signed_in.heading, is_signed_in(signed_in)) == ("Sign out?", True)


def test_without_an_address_our_own_page_says_that_it_is_done(signed_in, hint):
    end(signed_in, id_token_hint=hint())

    assert signed_in.heading == "You are signed out"
    assert not is_signed_in(signed_in)


@pytest.mark.parametrize(
    "changes",
    [
        {"post_logout_redirect_uri": "https://evil.example/"},
        {"post_logout_redirect_uri": f"{AFTER}?next=https://evil.example"},
        {"post_logout_redirect_uri": f"{AFTER}/../x"},
        {"post_logout_redirect_uri": AFTER.upper()},
        {"post_logout_redirect_uri": "javascript:alert(1)"},
        {"client_id": "web"},
        {"client_id": "nobody"},
        {"client_id": "a\0b"},
        {"id_token_hint": "x.y.z"},
    ],
    ids=[
        *("foreign", "longer query", "path", "case", "script"),
        *("other key", "unknown key", "NUL", "no token"),
    ],
)
def test_what_does_not_fit_is_refused_and_signs_nobody_out(
    signed_in, hint, confidential_key, changes
):
    end(
        signed_in,
        **{"id_token_hint": hint(), "post_logout_redirect_uri": AFTER} | changes,
    )

    assert (signed_in.status, signed_in.left_for) == (400, "")
    assert is_signed_in(signed_in)


def test_an_id_token_for_an_unknown_key_is_refused(signed_in, hint):
    end(signed_in, id_token_hint=hint(audience=["spa", "x"]))

    assert (signed_in.status, is_signed_in(signed_in)) == (400, True)


def test_an_address_of_one_key_is_not_for_another(signed_in, hint, confidential_key):
    end(
        signed_in,
        id_token_hint=hint(audience="web"),
        post_logout_redirect_uri=AFTER,
    )

    assert (signed_in.status, is_signed_in(signed_in)) == (400, True)


def test_a_form_of_another_site_signs_nobody_out(signed_in):
    signed_in.send("/oauth2/end-session", {"allow": "on", "client_id": "spa"})

    assert (signed_in.status, is_signed_in(signed_in)) == (403, True)


def test_tokens_outlive_the_session(signed_in, hint, held):
    end(signed_in, id_token_hint=hint())

    for token in held[0][:2]:
        token.refresh_from_db()
    assert held[0][0].revoked_at is None
    assert held[0][1].revoked is None
