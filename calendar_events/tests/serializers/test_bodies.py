"""Bodies as plain data: JSON objects and PHP-style forms."""

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from calendar_events.serializers import bodies
from platform_errors.errors.writes import MalformedJson
from platform_errors.parsers import FormParser, JsonParser

LISTS = {"tags", "organizer"}


def read(body, content_type):
    request = RequestFactory().post("/", body, content_type=content_type)
    wrapped = Request(request, parsers=[JsonParser(), FormParser()])
    return bodies.read(wrapped, lists=LISTS)


def form(body):
    return read(body, "application/x-www-form-urlencoded")


def json(body):
    return read(body, "application/json")


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("title=A&featured=true", {"title": "A", "featured": "true"}),
        ("title=A&title=B", {"title": "B"}),
        ("tags=1&tags=2", {"tags": ["1", "2"]}),
        ("tags=1", {"tags": "1"}),
        ("tags[]=1&tags[]=b", {"tags": ["1", "b"]}),
        ("tags%5B%5D=1", {"tags": ["1"]}),
        (
            "venue[venue]=Hall&venue[city]=Rome",
            {"venue": {"venue": "Hall", "city": "Rome"}},
        ),
        (
            "organizer[0][id]=7&organizer[1][organizer]=Club",
            {"organizer": [{"id": "7"}, {"organizer": "Club"}]},
        ),
        ("venue=3&venue[city]=Rome", {"venue": {"city": "Rome"}}),
        ("title=", {"title": ""}),
        ("a[b][c][d][e]=1", {"a": {"b": {"c": {"d": {"e": "1"}}}}}),
        ("a[b][c][d][e][f]=1", {}),
        ("[]=1&a]=2&[b]=3", {}),
        ("", {}),
    ],
)
def test_a_form_is_read_the_way_php_reads_it(body, plain):
    assert form(body) == plain


def test_a_json_object_is_taken_as_it_is():
    assert json('{"title": "A", "tags": [1, "b"], "venue": {"id": 3}}') == {
        "title": "A",
        "tags": [1, "b"],
        "venue": {"id": 3},
    }


@pytest.mark.parametrize("body", ["[]", '"text"', "1", "null", "true", "[[[["])
def test_json_that_is_no_object_is_refused(body):
    with pytest.raises(MalformedJson):
        json(body)


def test_nesting_cannot_exhaust_the_stack():
    with pytest.raises(MalformedJson):
        json("[" * 100_000 + "]" * 100_000)


def test_what_no_database_and_no_reader_can_take_is_dropped_from_every_text():
    body = (
        '{"title": "a\\u0000b\\u0007", "tags": ["\\u001b[1m"], "venue": {"a": "\\u0000"}}'
    )

    assert json(body) == {"title": "ab", "tags": ["[1m"], "venue": {"a": ""}}


def test_line_ends_and_tabs_stay():
    assert json('{"description": "a\\r\\nb\\tc"}') == {"description": "a\r\nb\tc"}


def test_no_body_is_an_empty_one():
    assert json("") == {}
