"""``Accept``: which error document a caller gets, and when there is nothing to give."""

import pytest

from platform_errors.errors.dialects import PLATFORM
from platform_errors.http import negotiation
from platform_errors.tests.factories import make_key

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "is_xml"),
    [
        ("", True),
        ("*/*", True),
        ("application/xml", True),
        ("text/xml", True),
        ("application/json", False),
        ("application/json, */*", False),
        ("application/json, text/plain, */*", False),
        ("application/xml, application/json", True),
        ("application/json, application/xml", True),
        ("application/json;q=0.5, application/xml;q=0.4", False),
        ("application/json;q=0.4, application/xml;q=0.5", True),
        ("application/json;q=0.4, text/xml;q=0.5", True),
        ("application/json;q=0", True),
        ("application/*;q=0.5, application/json", False),
        ("APPLICATION/JSON", False),
        ("application/json;charset=utf-8", False),
        ("application/json; Q=0.3, */*;q=0.2", False),
        ("application/json;q=0.2, */*;q=0.3", True),
        ("application/json;q=2, application/xml;q=0.1", True),
        ("application/json;q=, application/xml;q=0.1", True),
        ("nonsense, application/json", False),
        ("image/png", True),
        (BROWSER, True),
    ],
)
def test_a_platform_service_answers_xml_unless_json_is_preferred(accept, is_xml):
    assert PLATFORM.wants_xml(accept) == is_xml


@pytest.mark.parametrize(
    ("accept", "media_types", "quality"),
    [
        ("text/*;q=0.3, text/plain;q=0.7, */*;q=0.5", ["text/plain"], 0.7),
        ("text/*;q=0.3, text/plain;q=0.7, */*;q=0.5", ["text/html"], 0.3),
        ("text/*;q=0.3, text/plain;q=0.7, */*;q=0.5", ["image/png"], 0.5),
        ("text/*;q=0.3", ["image/png"], 0.0),
        ("a/b;q=0.3;ext=1", ["a/b"], 0.3),
        ("a/b;v=1;q=0.3", ["a/b"], 0.3),
        ("a/b;q=0.1234", ["a/b"], 0.0),
        ("a/b;q=1.000", ["a/b"], 1.0),
    ],
)
def test_the_most_specific_range_decides(accept, media_types, quality):
    assert negotiation.preference(accept, *media_types).quality == quality


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("", "application/xml; charset=utf-8"),
        ("application/json", "application/json"),
        ("text/xml;q=0.9, application/json;q=0.8", "application/xml; charset=utf-8"),
        ("text/plain, */*;q=0.1", "application/xml; charset=utf-8"),
    ],
)
def test_the_identity_service_answers_in_the_wanted_form(api, accept, content_type):
    make_key()

    response = api.signed("GET", "/platform/identity/v1", accept=accept)

    assert (response.status_code, response["Content-Type"]) == (200, content_type)
