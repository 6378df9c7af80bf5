"""Errors are declared and raised as those of Django REST framework are."""

import pytest

from platform_errors.errors import catalogue
from platform_errors.errors.base import ApiError, ForbiddenError
from platform_errors.tests.errors.test_documents import PARTS

FAILING = "/platform/failing"


class Closed(ForbiddenError):
    """As DRF's documentation declares an exception."""

    status_code = 403
    default_detail = "The library is closed."
    default_code = "library_closed"


def test_a_class_as_drf_documents_it_says_its_own_words(api, fails_with):
    fails_with(Closed())

    response = api.call("GET", FAILING, accept="application/json")

    assert response.status_code == 403
    assert response.json() == {
        "code": 403,
        "message": "The library is closed.",
        "detail": "The library is closed.",
        "reason": "library_closed",
    }


def test_detail_and_code_may_be_given_as_to_any_exception_of_drf():
    refusal = Closed("It opens at nine.", "closed_for_the_night")

    assert (refusal.text, str(refusal.detail)) == (
        "The library is closed.",
        "It opens at nine.",
    )
    assert refusal.get_codes() == refusal.reason == "closed_for_the_night"


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (Closed(), "library_closed"),
        (catalogue.KeyExpired(), "key_expired"),
        (catalogue.ScopesInvalid([("a", "A", "Expired")]), "service_expired"),
    ],
    ids=["own", "catalogue", "of the instance"],
)
def test_the_code_is_the_reason(refusal, code):
    assert refusal.get_codes() == refusal.reason == code


@pytest.mark.parametrize("refusal_class", PARTS, ids=lambda cls: cls.__name__)
def test_a_refusal_raised_without_its_parts_is_no_crash(api, fails_with, refusal_class):
    fails_with(refusal_class())

    response = api.call("GET", FAILING, accept="application/json")

    assert response.status_code == refusal_class.status_code
    assert response.json()["message"] == refusal_class.default_detail


def test_a_class_without_a_reason_of_its_own_is_refused():
    with pytest.raises(TypeError, match="Nameless must set default_code"):

        class Nameless(ApiError):
            """Inherits one that says nothing."""
