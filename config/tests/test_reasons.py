"""Every refusal has a reason of its own, and a row in the table of docs/errors.md."""

import importlib
import pkgutil
import re
import tomllib
from functools import cache

import pytest

import authserver
import calendar_events
import platform_errors
from authserver.errors import OAuthError
from config.tools import documentation_tables
from platform_errors.errors import catalogue
from platform_errors.errors.base import ApiError, AuthenticationError, ForbiddenError
from platform_errors.tests.documents_of import table

FAMILIES = {AuthenticationError, ForbiddenError, OAuthError}
"""Never raised themselves."""
OF_SERVICES = ("service_not_on_key", "service_canceled", "service_expired")
"""``ScopesInvalid`` says which of them, by itself."""
ADVICE = tomllib.loads(documentation_tables.REASONS.read_text(encoding="utf-8"))
"""Reason → why a caller gets it, and what its program should do."""


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


@pytest.fixture(scope="module")
def rows():
    """Return the rows of the table as it is built, by the reason."""
    built = documentation_tables.errors("")
    return {row[0].partition("</a>")[2].strip("`"): row for row in table(built, "reason")}


def test_every_refusal_has_a_row_in_the_table_with_its_status(rows):
    wrong = [
        refusal.__name__
        for refusal in refusals()
        if rows[refusal.default_code][1] != str(refusal.status_code)
    ]

    assert wrong == []


def test_errors_of_records_say_the_kind_in_their_code_and_text(rows):
    assert rows["record_not_found"][2:4] == [
        "`rest-{kind}-not-found`",
        "`The requested {kind} was not found`",
    ]


def test_no_two_refusals_have_one_reason():
    reasons = [cls.default_code for cls in refusals()]

    assert sorted(reasons) == sorted(set(reasons))


def test_the_table_has_no_reason_that_nothing_gives():
    assert set(ADVICE) == {cls.default_code for cls in refusals()} | {*OF_SERVICES}


@pytest.mark.parametrize("why", ["Not on key", "Canceled", "Expired"])
def test_each_fault_of_a_service_is_in_the_table(rows, why):
    refusal = catalogue.ScopesInvalid([("a", "A", why)])

    assert refusal.reason in OF_SERVICES
    assert int(rows[refusal.reason][1]) == refusal.status_code


def test_every_reason_says_why_and_what_to_do():
    wrong = [
        reason
        for reason, sentences in ADVICE.items()
        if len(sentences) != 2 or not all(one.endswith(".") for one in sentences)
    ]

    assert wrong == []


def test_every_row_can_be_linked_to(rows):
    assert all(row[0] == f'<a id="{name}"></a>`{name}`' for name, row in rows.items())
