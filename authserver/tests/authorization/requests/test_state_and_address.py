"""The state and the registered address come back unharmed."""

import pytest

from authserver.authorization import requests
from authserver.tests.authorization.requests.authorization_client import answer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "state", ["a b", "a+b", "é✓", "a=b&c=d", "%41", "myroot/mypage", '"<>']
)
def test_state_comes_back_exactly(ask, state):
    assert answer(ask(state=state, response_type="token"))["state"] == state


def test_state_that_was_not_sent_does_not_come_back(ask):
    assert "state" not in answer(ask(state=None, response_type="token"))


@pytest.mark.parametrize("state", ["a\x00b", "a\nb", "x" * 4097])
def test_state_that_cannot_be_kept_is_refused(ask, state):
    assert answer(ask(state=state))["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        ("https://c.example/cb", "https://c.example/cb?code=1&iss=http%3A%2F%2Ftestserver"),
        (
            "https://c.example/cb?a=%41&b",
            "https://c.example/cb?a=%41&b&code=1&iss=http%3A%2F%2Ftestserver",
        ),
        (
            "https://c.example/cb?",
            "https://c.example/cb?code=1&iss=http%3A%2F%2Ftestserver",
        ),
        (
            "https://c.example/cb?iss=x&co%64e=y&a=1",
            "https://c.example/cb?a=1&code=1&iss=http%3A%2F%2Ftestserver",
        ),
        ("app.example:/cb", "app.example:/cb?code=1&iss=http%3A%2F%2Ftestserver"),
        ("ncip://testapp", "ncip://testapp?code=1&iss=http%3A%2F%2Ftestserver"),
    ],
)
def test_the_registered_query_is_kept(registered, expected):
    assert requests.redirect_url(registered, code="1", state="") == expected


@pytest.mark.parametrize(
    "requested",
    ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb"],
)
def test_the_port_of_a_loopback_literal_is_free(ask, key, requested):
    key.redirect_uris = "http://127.0.0.1:8000/cb"
    key.save()

    assert ask(redirect_uri=requested).redirect_uri == requested
