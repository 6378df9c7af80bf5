"""What is understood of a good request (spec 4.1)."""

import pytest

from authserver.authorization.requests import AuthorizationRequest
from authserver.tests.authorization.requests.authorization_client import CHALLENGE, REDIRECT

pytestmark = pytest.mark.django_db


def test_a_good_request_is_understood(ask, key):
    request = ask(scope="calendar_events  directory calendar_events refresh_token")

    assert isinstance(request, AuthorizationRequest)
    assert request.key.client_id == key.client_id
    assert request.redirect_uri == REDIRECT
    assert request.scopes.tokens == ("calendar_events", "directory", "refresh_token")
    assert (request.state, request.code_challenge) == ("xyz", CHALLENGE)
    assert request.institution is None


def test_validation_costs_one_query(ask, django_assert_num_queries):
    with django_assert_num_queries(1):
        ask()


def test_hints_of_the_client_are_ignored(ask):
    assert isinstance(
        ask(approval_prompt="auto", prompt="none", foo=""), AuthorizationRequest
    )
