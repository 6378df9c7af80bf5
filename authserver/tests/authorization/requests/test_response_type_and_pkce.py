"""A code alone is issued, with a good challenge only (decisions 3.3, decisions 3.4)."""

import pytest
from django.utils import timezone

from authserver.authorization.requests import AuthorizationError
from authserver.tests.authorization.requests.authorization_client import CHALLENGE, answer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (None, "invalid_request"),
        ("", "invalid_request"),
        ("token", "unsupported_response_type"),
        ("code token", "unsupported_response_type"),
        ("CODE", "unsupported_response_type"),
    ],
)
def test_only_code_is_answered(ask, value, error):
    reply = answer(ask(response_type=value))

    assert (reply["error"], reply["http_code"]) == (error, "400")


@pytest.mark.parametrize(
    "pkce",
    [
        {"code_challenge": None},
        {"code_challenge": ""},
        {"code_challenge": CHALLENGE[:-1]},
        {"code_challenge": CHALLENGE + "a"},
        {"code_challenge": CHALLENGE[:-1] + "="},
        {"code_challenge": CHALLENGE[:-1] + "é"},
        {"code_challenge": CHALLENGE[:-1] + "+"},
        {"code_challenge": CHALLENGE + "\n"},
        {"code_challenge": "a" * 5000},
        {"code_challenge_method": None},
        {"code_challenge_method": ""},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge": None, "code_challenge_method": None},
    ],
)
def test_pkce_is_refused_before_any_page_unless_it_is_exactly_right(ask, pkce):
    reply = answer(ask(**pkce))

    assert (reply["error"], reply["http_code"]) == ("invalid_request", "400")


def test_a_confidential_key_needs_pkce_too(ask, key):
    key.set_secret("s", now=timezone.now())
    key.save()

    assert answer(ask(code_challenge=None, code_challenge_method=None))["error"] == (
        "invalid_request"
    )


def test_an_old_generation_key_with_a_secret_may_leave_pkce_out(ask, key):
    key.old_generation = True
    key.set_secret("s", now=timezone.now())
    key.save()

    assert ask(code_challenge=None, code_challenge_method=None).code_challenge == ""
    assert ask().code_challenge == CHALLENGE
    assert isinstance(ask(code_challenge=""), AuthorizationError)
    assert isinstance(ask(code_challenge_method=None), AuthorizationError)


def test_an_old_generation_key_without_a_secret_may_not(ask, key):
    key.old_generation = True
    key.save()

    assert isinstance(
        ask(code_challenge=None, code_challenge_method=None), AuthorizationError
    )
