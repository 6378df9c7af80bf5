"""What is decided holds although oauthlib, which carries it out, might change one day.

Each test runs an oauthlib with one line of its token validation changed, as an upgrade
plausibly might, and expects no token without the right verifier.
"""

import inspect
import textwrap

import pytest
from oauthlib.oauth2.rfc6749.grant_types import authorization_code

from authserver.models import AccessToken, Grant
from authserver.oauth.validator import Validator
from authserver.tests.oauth_client import assert_error

pytestmark = pytest.mark.django_db

ASKS = "self.request_validator.get_code_challenge(request.code, request)"
REQUIRES = "self.request_validator.is_pkce_required(request.client_id, request) is True"
COMPARES = """not self.validate_code_challenge(challenge,
                                                challenge_method,
                                                request.code_verifier)"""
CHANGES = {
    "asks for the challenge only with a verifier": {
        ASKS: f"{ASKS} if request.code_verifier else None"
    },
    "never asks for the challenge": {ASKS: "None"},
    "asks for nothing at all": {ASKS: "None", REQUIRES: "False"},
    "never compares": {COMPARES: "False"},
}


@pytest.fixture(params=CHANGES.values(), ids=CHANGES)
def changed_library(request, monkeypatch):
    grant = authorization_code.AuthorizationCodeGrant
    source = textwrap.dedent(inspect.getsource(grant.validate_token_request))
    for line, other in request.param.items():
        line = textwrap.dedent(line).replace("\n    ", "\n")  # noqa: PLW2901 -- as dedented
        assert line in source
        source = source.replace(line, other)
    names = {}
    exec(source, vars(authorization_code), names)  # noqa: S102 -- the library's own code
    monkeypatch.setattr(grant, "validate_token_request", names["validate_token_request"])


@pytest.mark.usefixtures("changed_library")
@pytest.mark.parametrize(
    ("sent", "error"), [("x" * 43, "invalid_grant"), (None, "invalid_request")]
)
def test_a_library_that_forgets_pkce_issues_nothing(token, code_request, sent, error):
    response = token.query(**code_request(code_verifier=sent))

    assert_error(response, 400, error)
    assert not AccessToken.objects.exists()
    assert Grant.objects.get().redeemed_at is None


def test_a_code_whose_challenge_was_lost_is_not_redeemed(token, code_request):
    asked = code_request()
    Grant.objects.update(code_challenge="")

    for verifier in (asked["code_verifier"], None):
        response = token.query(**asked | {"code_verifier": verifier})
        assert_error(response, 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_challenge_of_another_method_is_not_redeemed(token, code_request):
    asked = code_request()
    Grant.objects.update(
        code_challenge=asked["code_verifier"], code_challenge_method="plain"
    )

    assert_error(token.query(**asked), 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_library_that_forgets_the_redirect_address_issues_nothing(
    token, code_request, monkeypatch
):
    """OAuth 2.1 drops the question from the token request."""
    monkeypatch.setattr(Validator, "confirm_redirect_uri", lambda *_args, **_more: True)

    response = token.query(**code_request(redirect_uri="https://evil.example/"))

    assert_error(response, 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_library_that_forgets_the_grant_type_gives_a_public_key_nothing(
    token, public, monkeypatch
):
    monkeypatch.setattr(Validator, "validate_grant_type", lambda *_args, **_more: True)

    response = token.form(
        grant_type="client_credentials",
        client_id=public.client_id,
        scope="calendar_events",
    )

    assert_error(response, 400, "unauthorized_client")
    assert not AccessToken.objects.exists()
