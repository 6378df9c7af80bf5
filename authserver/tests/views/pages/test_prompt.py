"""What an application may ask of the sign-in (OpenID Connect Core 1.0, section 3.1.2.1)."""

import jwt
import pytest
from allauth.mfa.totp.internal import auth as totp

from authserver.accounts.signing_in import REFEDS_MFA as MFA
from authserver.accounts.signing_in import REFEDS_SFA as SFA
from authserver.authorization.openid_request import PROMPTS
from authserver.models import Grant
from authserver.tests import factories, openid
from authserver.tests.codes import code_of
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


@pytest.mark.parametrize(
    "prompt",
    [
        *("none login", "login none", "none consent", "none select_account"),
        *("none login consent select_account", "none create", "none NONE"),
    ],
)
def test_prompt_none_excludes_every_other_value(allowed, ask, prompt):
    answer = ask(prompt=prompt).answer

    assert answer["error"] == "invalid_request"
    assert "prompt" in answer["error_description"]


@pytest.mark.parametrize(
    "prompt", ["create", "None", "LOGIN", "login create", "login,none"]
)
def test_a_prompt_that_discovery_does_not_name_is_an_invalid_request(allowed, ask, prompt):
    answer = ask(prompt=prompt).answer

    assert answer["error"] == "invalid_request"
    assert prompt.removeprefix("login ") in answer["error_description"]


@pytest.mark.parametrize("prompt", ["none none", " none "])
def test_prompt_none_that_is_said_twice_is_prompt_none(allowed, ask, prompt):
    assert ask(prompt=prompt).answer["code"]


@pytest.mark.parametrize("prompt", ["", " "])
def test_a_blank_prompt_is_none(ask, prompt):
    assert ask(prompt=prompt).heading == "Sign in"


def test_discovery_names_the_prompts(client):
    document = client.get("/.well-known/openid-configuration").json()

    assert set(document["prompt_values_supported"]) == PROMPTS


@pytest.mark.parametrize("more", ["consent", "select_account"])
def test_prompt_login_with_another_value_does_both(allowed, ask, log_in, more):
    assert ask(prompt=f"login {more}").heading == "Sign in"

    page = log_in()

    assert page.values("scope")
    assert page.press("Allow").answer["code"]


def test_another_account_can_be_selected(allowed, ask, log_in, riverside):
    factories.UserFactory(username="bob", institution=riverside)
    page = ask(prompt="select_account")
    assert "Signed in as Alice Archer" in page.text

    page.press("Use another account")
    assert "Signed in as Some One bob" in log_in("bob").text
    assert page.press("Allow").answer["code"]

    assert Grant.objects.order_by("pk").last().user.username == "bob"


def test_an_account_is_selected_by_signing_in_where_nobody_is(ask, log_in):
    assert ask(prompt="select_account").heading == "Sign in"

    assert log_in().values("scope")


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


@pytest.mark.parametrize("age", ["2147483647", "9007199254740991", "9" * 20])
def test_a_max_age_beyond_every_session_limits_nothing(clock, allowed, ask, age):
    clock(1000)

    assert ask(max_age=age, prompt="none").answer["code"]


def test_a_blank_max_age_limits_nothing(clock, allowed, ask):
    clock(1000)

    assert ask(max_age="").answer["code"]


@pytest.mark.parametrize(
    "changes",
    [
        {"max_age": "-1"},
        {"max_age": "+1"},
        {"max_age": "1.5"},
        {"max_age": "1e3"},
        {"max_age": " 1"},
        {"max_age": "soon"},
        {"max_age": "1" * 21},
        {"max_age": "1" * 5000},
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


@pytest.mark.parametrize("hint", ["bob", "alice@1002", "alice@other.example"])
def test_a_login_hint_of_somebody_else_is_a_hint_and_no_more(allowed, ask, hint):
    assert ask(login_hint=hint, prompt="none").answer["code"]

    assert ask(login_hint=hint, prompt="login").field("username").get("value") == hint


@pytest.fixture
def redeemed(visitor):
    """Exchange the visitor's code for tokens; return the ID token."""

    def redeem():
        answer = TokenClient().form(
            grant_type="authorization_code",
            client_id="web",
            client_secret="a secret",
            code=visitor.answer["code"],
            redirect_uri=CALLBACK,
            code_verifier=VERIFIER,
        )
        return answer.json()["id_token"]

    return redeem


def claims_in(id_token):
    return jwt.decode(id_token, options={"verify_signature": False})


def test_a_hint_about_somebody_else_is_login_required(allowed, ask, redeemed):
    hint = redeemed()
    claims = claims_in(hint)
    other = jwt.encode({**claims, "sub": "other"}, openid.private_key(1), "RS256")

    assert ask(prompt="none", id_token_hint=hint).answer["code"]
    assert ask(prompt="none", id_token_hint=other).answer["error"] == "login_required"


def test_whoever_signs_in_must_be_whom_the_hint_is_about(
    allowed, ask, log_in, redeemed, riverside
):
    hint = redeemed()
    factories.UserFactory(username="bob", institution=riverside)

    ask(prompt="login", id_token_hint=hint)
    log_in("bob").press("Allow")
    assert allowed.answer["error"] == "login_required"

    ask(prompt="login", id_token_hint=hint)
    assert log_in().follow("Continue").answer["code"]


def test_the_time_of_sign_in_is_that_of_this_session(clock, allowed, ask, alice, redeemed):
    clock(90)
    Visitor().client.force_login(alice)  # elsewhere: last_login moves on
    ask(prompt="none", nonce="n")

    claims = claims_in(redeemed())

    assert claims["iat"] - claims["auth_time"] == 90


def test_a_sign_in_that_max_age_asked_for_is_in_the_id_token(
    clock, allowed, ask, log_in, redeemed
):
    clock(90)
    ask(max_age="60")
    log_in().follow("Continue")

    claims = claims_in(redeemed())

    assert claims["iat"] - claims["auth_time"] == 0


@pytest.mark.parametrize("asked", [SFA, MFA, f"{MFA} {SFA}", "urn:example:bronze", "\x00"])
def test_acr_values_are_a_wish_and_acr_says_what_was(allowed, ask, redeemed, asked):
    ask(acr_values=asked, prompt="none")

    claims = claims_in(redeemed())

    assert (claims["acr"], claims["amr"]) == (SFA, ["pwd"])


def test_acr_says_that_there_were_two_factors(clock, ask, visitor, log_in, alice, redeemed):
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(alice, secret)
    ask(acr_values=MFA)
    log_in()
    visitor.press("Sign in", code=code_of(secret))
    visitor.press("Allow")

    claims = claims_in(redeemed())

    assert (claims["acr"], claims["amr"]) == (MFA, ["mfa", "otp", "pwd"])
