"""What an application may ask of the sign-in (OpenID Connect Core 1.0, section 3.1.2.1)."""

import jwt
import pytest

from authserver.tests import openid
from authserver.tests.conftest import CALLBACK, VERIFIER
from authserver.tests.oauth_client import TokenClient
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db

SCOPE = "openid calendar_events"


@pytest.fixture(autouse=True)
def _switched_on(settings):
    openid.switch_on(settings)


@pytest.fixture
def ask(visitor, address, confidential_key, alice):
    """Send the browser to the authorization endpoint for a key that remembers consents."""

    def ask(**changes):
        return visitor.open(address(confidential_key, **{"scope": SCOPE} | changes))

    return ask


@pytest.fixture
def allowed(ask, visitor, log_in):
    """Alice is signed in and has allowed everything."""
    ask()
    log_in()
    visitor.press("Allow")
    return visitor


def test_prompt_none_without_a_sign_in_is_login_required(ask):
    answer = ask(prompt="none").answer

    assert (answer["error"], answer["http_code"]) == ("login_required", "401")
    assert answer["state"] == "some state/&="


def test_prompt_none_without_consent_is_consent_required(ask, log_in):
    ask()
    log_in()

    assert ask(prompt="none").answer["error"] == "consent_required"


def test_prompt_none_gets_a_code_where_all_was_allowed_before(allowed, ask):
    assert ask(prompt="none").answer["code"]


def test_prompt_none_takes_the_institution_of_whoever_is_signed_in(allowed, ask):
    assert ask(prompt="none", at=None).answer["code"]


def test_prompt_none_at_another_institution_is_login_required(allowed, ask):
    assert ask(prompt="none", at="1002").answer["error"] == "login_required"


def test_prompt_none_with_a_password_to_change_is_interaction_required(allowed, ask, alice):
    alice.must_change_password = True
    alice.save()

    assert ask(prompt="none").answer["error"] == "interaction_required"


def test_prompt_none_leaves_nothing_behind_where_it_is_refused(ask, visitor):
    ask(prompt="none")

    assert not visitor.client.cookies


def test_prompt_none_excludes_every_other_value(ask):
    answer = ask(prompt="none login").answer

    assert answer["error"] == "invalid_request"
    assert "prompt" in answer["error_description"]


def test_prompt_login_asks_for_the_password_of_who_is_signed_in(allowed, ask, log_in):
    assert ask(prompt="login").heading == "Sign in"

    assert log_in().follow("Continue").answer["code"]


def test_prompt_login_is_not_met_by_an_earlier_sign_in_at_the_next_page(
    allowed, ask, visitor
):
    handle = ask(prompt="login").url.partition("request=")[2]

    for page in ("grant", "finish", "continue"):
        visitor.open(f"/oauth2/{page}?request={handle}")
        assert (visitor.heading, visitor.left_for) == ("Sign in", "")


@pytest.mark.parametrize("prompt", ["consent", "select_account"])
def test_the_grant_page_is_shown_again_where_it_is_asked_for(allowed, ask, prompt):
    page = ask(prompt=prompt)

    assert page.values("scope")
    assert "alice" in page.text.lower()


def test_max_age_takes_a_sign_in_that_is_recent_to_the_second(clock, allowed, ask):
    clock(60)

    assert ask(max_age="60").answer["code"]
    clock(1)
    assert ask(max_age="60").heading == "Sign in"


def test_max_age_zero_ends_in_a_code_after_one_sign_in(allowed, ask, log_in):
    assert ask(max_age="0").heading == "Sign in"

    assert log_in().follow("Continue").answer["code"]


def test_max_age_with_prompt_none_is_login_required(clock, allowed, ask):
    clock(61)

    assert ask(max_age="60", prompt="none").answer["error"] == "login_required"


@pytest.mark.parametrize(
    "changes",
    [
        {"max_age": "-1"},
        {"max_age": "1" * 10},
        {"max_age": "\u0663"},
        {"nonce": "n" * 256},
        {"nonce": "\t"},
        {"login_hint": "x" * 256},
        {"id_token_hint": "x"},
        {"id_token_hint": "x" * 5000},
    ],
)
def test_what_cannot_be_used_is_an_invalid_request(ask, changes):
    assert ask(**changes).answer["error"] == "invalid_request"


@pytest.mark.parametrize("name", ["request", "request_uri"])
def test_request_objects_are_not_supported(ask, name):
    assert ask(**{name: "https://client.example/r"}).answer["error"] == (
        "request_not_supported"
    )


def test_none_of_it_means_anything_without_openid(visitor, address, key):
    visitor.open(
        address(key, scope="calendar_events", prompt="none", max_age="x", request="y")
    )

    assert visitor.heading == "Sign in"


@pytest.mark.parametrize("hint", ["alice", "alice@1001"])
def test_a_login_hint_fills_in_the_user_name(ask, hint):
    assert ask(login_hint=hint).field("username").get("value") == "alice"


def test_a_login_hint_is_text_and_no_markup(ask):
    page = ask(login_hint='"><script>')

    assert page.field("username").get("value") == '"><script>'


def test_a_hint_about_somebody_else_is_login_required(allowed, ask, alice, riverside):
    answer = TokenClient().form(
        grant_type="authorization_code",
        client_id="web",
        client_secret="a secret",
        code=allowed.answer["code"],
        redirect_uri=CALLBACK,
        code_verifier=VERIFIER,
    )
    hint = answer.json()["id_token"]
    claims = jwt.decode(hint, options={"verify_signature": False})
    other = jwt.encode({**claims, "sub": "other"}, openid.private_key(1), "RS256")

    assert ask(prompt="none", id_token_hint=hint).answer["code"]
    assert ask(prompt="none", id_token_hint=other).answer["error"] == "login_required"


def test_the_time_of_sign_in_is_that_of_this_session(clock, allowed, ask, alice):
    clock(90)
    Visitor().client.force_login(alice)  # elsewhere: last_login moves on
    ask(prompt="none", nonce="n")

    answer = TokenClient().form(
        grant_type="authorization_code",
        client_id="web",
        client_secret="a secret",
        code=allowed.answer["code"],
        redirect_uri=CALLBACK,
        code_verifier=VERIFIER,
    )

    claims = jwt.decode(answer.json()["id_token"], options={"verify_signature": False})
    assert claims["iat"] - claims["auth_time"] == 90
