"""Error documents: form, order, and whatever text a caller managed to put into one."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from platform_errors.errors import catalogue, documents, writes
from platform_errors.errors.base import ECHO_LIMIT, ApiError

NS = "http://platform.example/xmlschemas/response"
DOCS = Path(__file__).parents[3] / "docs"


def schema(name):
    return etree.XMLSchema(etree.parse(DOCS / name))


def refusal_classes(base=ApiError):
    for subclass in base.__subclasses__():
        yield subclass
        yield from refusal_classes(subclass)


PARTS = {
    catalogue.KeyInvalid: {"key": "x"},
    catalogue.SignatureInvalid: {"signature": "x"},
    catalogue.TimestampInvalid: {"timestamp": "x", "current_time": 1},
    catalogue.TokenLacksService: {"scope": "x"},
    catalogue.InstitutionNotOnKey: {"key": "x", "institution": "x"},
}


def example(refusal_class):
    """An instance with everything a message can hold."""
    arguments = {
        catalogue.ScopesInvalid: [[("a", "A", "Expired")]],
        writes.MissingParameters: [["title"]],
        writes.InvalidParameters: [{"title": "is odd"}],
    }
    return refusal_class(*arguments.get(refusal_class, []), **PARTS.get(refusal_class, {}))


# Other apps have refusals of their own, and tests of them.
ALL = sorted(
    {
        cls
        for cls in refusal_classes()
        if cls.__module__ in {catalogue.__name__, writes.__name__}
    },
    key=lambda cls: cls.__name__,
)


@pytest.mark.parametrize("refusal_class", ALL, ids=lambda cls: cls.__name__)
def test_every_refusal_is_a_valid_xml_document(refusal_class):
    refusal = example(refusal_class)

    root = etree.fromstring(documents.error_xml(refusal, NS))

    schema("error.xsd").assertValid(root)
    assert [child.tag for child in root] == [
        f"{{{NS}}}{name}" for name in ("code", "message", "detail")
    ]
    assert not any(element.attrib for element in root.iter())
    assert int(root[0].text) == refusal.status_code
    assert root[1].text == refusal.text
    assert root[2].text == str(refusal.detail)


@pytest.mark.parametrize("refusal_class", ALL, ids=lambda cls: cls.__name__)
def test_a_refusal_states_a_status_of_an_error(refusal_class):
    assert 400 <= refusal_class.status_code <= 599


@pytest.mark.parametrize("refusal_class", ALL, ids=lambda cls: cls.__name__)
def test_a_refusal_has_a_test_named_after_it(refusal_class):
    name = re.sub("(?<!^)([A-Z])", r"_\1", refusal_class.__name__).lower()
    tests = "".join(
        path.read_text() for path in Path(__file__).parents[1].rglob("test_*.py")
    )

    assert f"def test_{name}" in tests


def test_the_document_starts_with_declaration_and_default_namespace():
    content = documents.error_xml(writes.Conflict("why"), NS)

    assert content == (
        b"<?xml version='1.0' encoding='utf-8'?>\n"
        b'<error xmlns="http://platform.example/xmlschemas/response">'
        b"<code>409</code><message>Conflict</message><detail>why</detail></error>"
    )


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_is_echoed_xml_stays_valid(text):
    refusal = catalogue.KeyInvalid(text, key=text)

    root = etree.fromstring(documents.error_xml(refusal, NS))

    schema("error.xsd").assertValid(root)
    assert len(root[1].text) <= len("service key  is invalid") + ECHO_LIMIT


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("a\x00b\x1f", "a\ufffdb\ufffd"),
        ("\ud800", "\ufffd"),
        ("\ufffe\uffff", "\ufffd\ufffd"),
        ("tab\tline\n<&>\"'", "tab\tline\n<&>\"'"),
        ("😀", "😀"),
        ("]]>", "]]>"),
        ("x" * 300, "x" * 256),
    ],
)
def test_illegal_characters_are_replaced_and_long_text_cut(sent, shown):
    refusal = catalogue.SignatureInvalid(signature=sent)

    root = etree.fromstring(documents.error_xml(refusal, NS))

    assert root[1].text == f"request has invalid signature ({shown})"
    assert refusal.text == f"request has invalid signature ({shown})"


def test_braces_that_a_caller_sends_are_not_placeholders():
    assert catalogue.KeyInvalid(key="{0.__class__}").text == (
        "service key {0.__class__} is invalid"
    )


@pytest.mark.parametrize(
    ("refusal", "message", "detail"),
    [
        (
            writes.MissingParameters(["title"]),
            "Invalid HTTP Body Content",
            "Missing parameter(s): title",
        ),
        (
            writes.MissingParameters(["title"], in_body=False),
            "Missing parameter(s): title",
            "Missing parameter(s): title",
        ),
        (
            writes.InvalidParameters({"a": "is b", "c": "is d"}, in_body=True),
            "Invalid HTTP Body Content",
            "a: is b; c: is d",
        ),
        (
            writes.InvalidParameters({"page": "is odd"}),
            "Invalid parameter(s): page",
            "page: is odd",
        ),
    ],
)
def test_a_400_names_the_fields_in_its_detail(refusal, message, detail):
    root = etree.fromstring(documents.error_xml(refusal, NS))

    assert (root[1].text, root[2].text) == (message, detail)


def test_nothing_is_an_empty_element():
    content = documents.to_xml("probe", {"a": None, "bs": [1, None], "c": {"d": ""}}, NS)

    assert content.endswith(b"><a /><bs><b>1</b><b /></bs><c><d /></c></probe>")
