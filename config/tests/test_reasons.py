"""Every refusal of the house has a reason of its own, and a row in docs/errors.md."""

import importlib
import pkgutil
import re
from functools import cache

import pytest

import authserver
import calendar_events
import platform_errors
from authserver.errors import OAuthError
from platform_errors.errors import catalogue
from platform_errors.errors.base import ApiError, AuthenticationError, ForbiddenError
from platform_errors.tests.documents_of import docs, table

FAMILIES = {AuthenticationError, ForbiddenError, OAuthError}
"""Never raised themselves."""
OF_SERVICES = ("service_not_on_key", "service_canceled", "service_expired")
"""``ScopesInvalid`` says which of them, by itself."""
ROWS = {
    reason.rpartition("</a>")[2].strip("`"): (reason, status, meaning, advice)
    for reason, status, meaning, advice in table(docs("errors.md"), "reason")
}


def subclasses(base):
    for cls in base.__subclasses__():
        yield cls
        yield from subclasses(cls)


@cache
def refusals():
    """Every class of a refusal in the three apps, whichever module it is in."""
    for package in (authserver, calendar_events, platform_errors):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not {"tests", "migrations"} & set(module.name.split(".")):
                importlib.import_module(module.name)
    return sorted(
        (
            cls
            for cls in {ApiError, *subclasses(ApiError)} - FAMILIES
            if "tests" not in cls.__module__.split(".")
        ),
        key=lambda cls: cls.__name__,
    )


def test_every_refusal_has_a_reason_of_its_own_in_snake_case():
    wrong = [
        refusal.__name__
        for refusal in refusals()
        if "default_code" not in vars(refusal)
        or not re.fullmatch(r"[a-z]+(_[a-z]+)*", refusal.default_code)
    ]

    assert wrong == []


def test_every_refusal_has_a_row_in_the_table_with_its_status():
    written = {reason: int(status) for reason, (_, status, *_) in ROWS.items()}

    wrong = [
        refusal.__name__
        for refusal in refusals()
        if written.get(refusal.default_code) != refusal.status_code
    ]

    assert wrong == []


def test_no_two_refusals_have_one_reason():
    reasons = [cls.default_code for cls in refusals()]

    assert sorted(reasons) == sorted(set(reasons))


def test_the_table_has_no_reason_that_nothing_gives():
    assert set(ROWS) == {cls.default_code for cls in refusals()} | {*OF_SERVICES}


@pytest.mark.parametrize("why", ["Not on key", "Canceled", "Expired"])
def test_each_fault_of_a_service_is_in_the_table(why):
    refusal = catalogue.ScopesInvalid([("a", "A", why)])

    assert refusal.reason in OF_SERVICES
    assert int(ROWS[refusal.reason][1]) == refusal.status_code


def test_every_row_can_be_linked_to_and_says_what_to_do():
    wrong = [
        reason
        for reason, (cell, _, meaning, advice) in ROWS.items()
        if cell != f'<a id="{reason}"></a>`{reason}`'
        or not (meaning.endswith(".") and advice.endswith("."))
    ]

    assert wrong == []
