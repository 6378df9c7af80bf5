"""Scopes, and the texts of spec 7.2 (decisions 3.5)."""

import pytest

from authserver.tests import factories
from authserver.tests.authorization.requests.authorization_client import answer

pytestmark = pytest.mark.django_db

SEVERAL = (
    "reports (Reports) [Expired], nope (nope) [Not on key], archive (Archive) [Canceled]"
)


@pytest.mark.parametrize(
    "scope",
    [
        None,
        "",
        " ",
        "refresh_token",
        "context:",
        "context:1001",
        "refresh_token context:1001",
    ],
)
def test_a_missing_or_blank_scope_is_refused(ask, scope):
    reply = answer(ask(scope=scope))

    assert reply["error"] == "invalid_scope"
    assert reply["http_code"] == "400"
    assert reply["error_description"] == "required parameter 'scope' is missing or blank"


@pytest.mark.parametrize(
    "scope",
    [
        " ".join(map(str, range(101))),
        "a\tb",
        "calendar_events\n",
        'a"b',
        "a\\b",
        "é",
        "\x00",
    ],
)
def test_a_scope_outside_the_grammar_is_refused(ask, scope):
    reply = answer(ask(scope=scope))

    assert (reply["error"], reply["http_code"]) == ("invalid_scope", "400")


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        (" ".join(map(str, range(101))), "scope has more than 100 names"),
        ("a" * 20_001, "scope has more than 20,000 characters"),
        ("a\tb", "scope is a list of names with spaces between them"),
        ("calendar_events context:", "context: in scope names no institution"),
        ("context: calendar_events", "context: in scope names no institution"),
    ],
)
def test_what_is_wrong_with_a_scope_is_said_truly(ask, scope, text):
    reply = answer(ask(scope=scope))

    assert (reply["error"], reply["http_code"]) == ("invalid_scope", "400")
    assert reply["error_description"] == text


def test_a_hundred_names_and_runs_of_spaces_are_no_fault_of_a_scope(ask):
    names = " ".join(f"s{n}" for n in range(99))

    assert (
        "Invalid scope(s)" in answer(ask(scope=f"directory {names}"))["error_description"]
    )
    assert ask(scope="  directory   calendar_events ").scopes.services == (
        "directory",
        "calendar_events",
    )


@pytest.mark.parametrize(
    ("scope", "problems"),
    [
        ("archive", "archive (Archive) [Canceled]"),
        ("reports", "reports (Reports) [Expired]"),
        ("nope", "nope (nope) [Not on key]"),
        (
            "reports calendar_events nope archive",
            SEVERAL,
        ),
    ],
)
def test_services_that_the_key_lacks_are_named_in_request_order(ask, scope, problems):
    reply = answer(ask(scope=scope))

    assert reply["error"] == "invalid_scope"
    assert reply["http_code"] == "403"
    assert reply["error_description"] == f"Invalid scope(s): {problems}"


def test_a_service_that_is_not_on_the_key_has_its_name_all_the_same(ask):
    factories.ServiceFactory(code="billing", name="Billing")

    assert answer(ask(scope="billing"))["error_description"] == (
        "Invalid scope(s): billing (Billing) [Not on key]"
    )


def test_a_code_may_have_a_colon(ask):
    assert ask(scope="read:one").scopes.services == ("read:one",)
