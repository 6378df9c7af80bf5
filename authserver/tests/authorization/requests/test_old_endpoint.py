"""The old generation's authorization endpoint (decisions 4)."""

import pytest
from django.utils import timezone

from authserver.tests.authorization.requests.authorization_client import answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def old_key(key):
    key.old_generation = True
    key.set_secret("s", now=timezone.now())
    key.save()
    return key


def old(ask, **changes):
    return ask(
        old_generation=True, code_challenge=None, code_challenge_method=None, **changes
    )


def test_the_old_endpoint_is_closed_to_other_keys(ask):
    reply = answer(ask(old_generation=True))

    assert (reply["error"], reply["http_code"]) == ("unauthorized_client", "400")


def test_the_old_endpoint_takes_both_institutions(ask, old_key):
    request = old(ask, authenticatingInstitutionId="1001", contextInstitutionId="1001")

    assert request.institution == "1001"


def test_the_old_endpoint_shows_the_institution_page_without(ask, old_key):
    assert old(ask).institution is None


@pytest.mark.parametrize(
    "named",
    [
        {"authenticatingInstitutionId": "1001"},
        {"contextInstitutionId": "1001"},
        {"authenticatingInstitutionId": "1001", "contextInstitutionId": "1002"},
    ],
)
def test_the_old_endpoint_refuses_half_an_institution(ask, old_key, named):
    reply = answer(old(ask, **named))

    assert (reply["error"], reply["http_code"]) == ("invalid_request", "400")


def test_the_old_endpoint_has_no_implicit_flow(ask, old_key):
    assert answer(old(ask, response_type="token"))["error"] == "unsupported_response_type"
