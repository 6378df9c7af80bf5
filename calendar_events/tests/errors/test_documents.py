"""Every refusal of the edge as a document of the events interface, byte for byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ErrorDetail

from calendar_events.api.dialect import ANY_FAULT, EVENTS, FIELD_CODES, code_of
from platform_errors.errors import catalogue, documents, writes
from platform_errors.tests.documents_of import docs, table
from platform_errors.tests.errors.test_documents import ALL, example
from platform_errors.tests.errors.texts import REFUSALS

DOC = docs("errors.md")
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("refusal_class", ALL, ids=lambda cls: cls.__name__)
def test_every_refusal_is_an_events_document(refusal_class):
    refusal = example(refusal_class)

    members = json.loads(documents.to_json(EVENTS.members(refusal)))

    assert list(members) == ["code", "message", "data"]
    assert members["code"].replace("_", "").isalpha()
    assert members["data"]["status"] == refusal.status_code


@given(st.dictionaries(st.text(st.characters(exclude_categories=())), st.text()))
def test_whatever_is_echoed_json_stays_valid(params):
    refusal = writes.InvalidParameters(params)

    members = json.loads(documents.to_json(EVENTS.members(refusal)))

    assert members["data"]["status"] == 400


@pytest.mark.parametrize(
    ("refusal", "members"),
    [
        (
            writes.MissingParameters(["title", "start_date"]),
            {
                "code": "rest_missing_callback_param",
                "message": "Missing parameter(s): title, start_date",
                "data": {
                    "status": 400,
                    "reason": "parameters_missing",
                    "params": ["title", "start_date"],
                    "details": {
                        name: {
                            "code": "rest_missing_callback_param",
                            "message": "is required.",
                            "data": {"param": name},
                        }
                        for name in ("title", "start_date")
                    },
                },
            },
        ),
        (
            writes.InvalidParameters({"page": "must be positive"}),
            {
                "code": "rest_invalid_param",
                "message": "Invalid parameter(s): page",
                "data": {
                    "status": 400,
                    "reason": "parameters_invalid",
                    "params": {"page": "must be positive"},
                    "details": {
                        "page": {
                            "code": "rest_invalid_param",
                            "message": "must be positive",
                            "data": {"param": "page"},
                        }
                    },
                },
            },
        ),
        (
            catalogue.InvalidUser(),
            {
                "code": "rest_forbidden",
                "message": "Invalid user",
                "data": {
                    "status": 403,
                    "reason": "user_invalid",
                    "detail": "principalID and/or principalIDNS is invalid",
                },
            },
        ),
        (
            catalogue.KeyExpired(),
            {
                "code": "rest_unauthorized",
                "message": "service key is expired",
                "data": {"status": 401, "reason": "key_expired"},
            },
        ),
        (
            catalogue.AuthorizationHeaderMissing(),
            {
                "code": "rest_forbidden",
                "message": "Authorization header is missing",
                "data": {"status": 401, "reason": "authorization_header_missing"},
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_events_document_has_code_message_and_data(refusal, members):
    assert EVENTS.members(refusal) == members


@pytest.mark.parametrize(
    ("accept", "is_xml"),
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("application/xml", True),
        ("text/xml", True),
        ("application/*", False),
        ("application/xml, application/json", False),
        ("application/xml, application/json;q=0.9", True),
        ("application/xml, */*", False),
        ("application/xml, */*;q=0.5", True),
        ("application/xml;q=0.5, application/json;q=0.9", False),
        ("application/xml;q=0", False),
        (BROWSER, False),
        ("application/xml, text/html;q=0.1", False),
        ("application/xml, text/html;q=0", True),
    ],
)
def test_the_events_interface_answers_xml_only_to_those_who_name_it(accept, is_xml):
    assert EVENTS.wants_xml(accept) == is_xml


def test_every_code_of_a_field_is_explained():
    documented = [row[0].strip("`") for row in table(DOC, "code of a field | meaning")]

    assert sorted(documented) == sorted({*FIELD_CODES.values(), ANY_FAULT})


@pytest.mark.parametrize(("name", "code"), [(row[0], row[3]) for row in REFUSALS])
def test_a_refusal_has_the_code_that_clients_know(name, code):
    (refusal_class,) = (cls for cls in ALL if cls.__name__ == name)

    assert code_of(example(refusal_class)) == code


def test_the_sample_documents_are_the_ones_we_send():
    blocks = [part.partition("```")[0] for part in DOC.split("```json\n")[1:]]
    shown = [json.loads(text) for text in blocks]
    page = ErrorDetail("This is not a whole number.", code="type")

    assert EVENTS.members(catalogue.KeyInvalid(key="demo")) in shown
    assert EVENTS.members(writes.InvalidParameters({"page": page})) in shown
