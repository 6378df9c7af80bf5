"""Bodies that were made to cost: no worker is held by one, and each has a plain answer."""

import os

import orjson
import pytest

from calendar_events.tests.bodies import BODIES, NAMES, event
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.steps import steps

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS_OF_A_WRITE = 60_000
STEPS_OF_A_CHARACTER = 10
"""Calls of functions, Python's and C's: what a body may cost grows with its size alone."""
FACTORIES = {
    "events": EventFactory,
    "venues": VenueFactory,
    "organizers": OrganizerFactory,
    "categories": CategoryFactory,
    "tags": TagFactory,
}
IS_LONG = os.environ.get("FUZZ") == "long"
DEPTHS = (
    range(1, 2001) if IS_LONG else [1, 2, 99, 100, 101, 253, 467, 468, 1023, 1024, 2000]
)


def counted(send, path, body):
    """Return the answer, and whether it took more steps than a body of this size may."""
    answers = []
    count = steps(lambda: answers.append(send(path, body)))
    size = len(body if isinstance(body, bytes) else orjson.dumps(body))
    most = STEPS_OF_A_WRITE + STEPS_OF_A_CHARACTER * size
    return answers[0], count / most


def nested(depth):
    """Return JSON: arrays in an object, so many levels in all."""
    return b'{"x":%b1%b}' % (b"[" * (depth - 1), b"]" * (depth - 1))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", "<div>" * 40_000),
        ("excerpt", "<div>" * 20_000),
        ("description", "<a><b><i><u>" * 16_666),
        ("description", "<div><table></div>" * 10_000),
        ("description", "<svg>" + "<col>" * 40_000),
        ("description", "<title><!--</title>" + "<div>" * 40_000),
        ("description", "<title><a x='</title>" + "<div>" * 40_000),
        ("description", "<form><span></form>" * 10_000),
        ("description", "<a " + " ".join(f"a{n}" for n in range(50_000)) + ">x</a>"),
        ("description", f"<p><a href='http://{'a' * 100_000}'>x" + "<p>x" * 20_000),
        ("description", "<p>" * 100_000),
        ("cost", "<div>" * 20_000),
        ("cost", "<div>" * 40_000),
        ("cost", ["<div>"] * 20_000),
        ("title", "<div>" * 40_000),
        ("slug", "<div>" * 40_000),
        ("timezone", "<div>" * 40_000),
        ("start_date", "+1 day " * 40_000),
        ("website", "http://" + "a." * 100_000),
        ("tags", "," * 90_000),
        ("tags", [""] * 90_000),
        ("tags", ["<div>" * 10_000] * 20),
        ("venue", [{}] * 40_000),
        ("categories", [{"id": "x" * 1_000_000}]),
    ],
    ids=lambda value: str(value)[:24] if isinstance(value, str) else "list",
)
def test_what_is_made_to_cost_is_refused_at_once(contributor, field, value):
    response, share = counted(contributor.post, "/events", event(**{field: value}))

    assert bad_fields(response) == [field]
    assert share < 1


@pytest.mark.parametrize("name", BODIES)
def test_html_of_very_many_tags_is_refused_with_the_reason(editor, name):
    body = {**BODIES[name], "description": "<div>" * 20_000}

    response, share = counted(editor.post, f"/{name}", body)

    assert bad_fields(response) == ["description"]
    reason = response.json()["data"]["params"]["description"]
    assert reason == "must not have more than 5000 tags of HTML; it has 20000."
    assert share < 1


@pytest.mark.parametrize(
    ("longest", "reason"),
    [
        ("a" * 100_000, "must not be longer than 100000 characters; it has 1000"),
        ("<i></i>" * 2500, "must not have more than 5000 tags of HTML; it has 50"),
    ],
    ids=["characters", "tags"],
)
@pytest.mark.parametrize("field", ["description", "excerpt"])
def test_a_text_is_taken_up_to_its_limits_and_not_beyond(editor, field, longest, reason):
    taken = editor.post("/events", event(**{field: longest}))
    refused = editor.post("/events", event(**{field: f"{longest}<i>"}))

    assert taken.status_code == 201
    assert bad_fields(refused) == [field]
    assert refused.json()["data"]["params"][field].startswith(reason)


def test_the_limits_of_texts_are_settings(editor, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "MAX_HTML": 8, "MAX_TAGS": 1}

    answers = [
        editor.post("/events", event(description=text)).status_code
        for text in ("a" * 8, "a" * 9, "<p>a", "<p>a</p>")
    ]

    assert answers == [201, 400, 201, 400]


@pytest.mark.parametrize("depth", [1, 100, 2_500])
def test_html_may_nest_as_deep_as_it_may_have_tags(editor, depth):
    html = "<div>" * depth + "x" + "</div>" * depth

    record = editor.post("/events", event(description=html)).json()

    assert record["description"] == html


@pytest.mark.fuzz
def test_html_of_any_depth_is_stored_or_refused(editor):
    for depth in DEPTHS:
        html = "<div>" * depth + "x" + "</div>" * depth

        response, share = counted(editor.post, "/events", event(description=html))

        assert response.status_code == (201 if 2 * depth <= 5_000 else 400), depth
        assert share < 1, depth


def test_a_place_that_an_event_brings_is_held_to_the_same(editor):
    hall = {"venue": "Hall", "description": "<div>" * 20_000}

    response, share = counted(editor.post, "/events", event(venue=[hall] * 10))

    assert bad_fields(response) == ["venue"]
    assert share < 1


def test_places_that_an_event_brings_share_one_limit_of_tags(editor):
    halls = [{"venue": f"Hall {n}", "description": "<b></b>" * 2_000} for n in range(20)]

    response, share = counted(editor.post, "/events", event(venue=halls))

    assert bad_fields(response) == ["venue"]
    assert share < 1


def test_an_event_brings_at_most_twenty_new_places(editor):
    halls = [{"venue": f"Hall {n}"} for n in range(21)]

    assert bad_fields(editor.post("/events", event(venue=halls))) == ["venue"]
    assert editor.post("/events", event(venue=halls[1:])).status_code == 201


def test_marks_piled_on_one_letter_are_searched_without_sorting_them_all(editor):
    pile = "a" + "\N{COMBINING GRAVE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}" * 45_000

    response, share = counted(editor.post, "/events", event(description=pile))

    assert response.status_code == 201
    assert share < 1


def test_a_stored_description_of_very_many_tags_costs_no_write(editor):
    """As it was stored before there was a limit."""
    record = EventFactory(description="<p>Words</p>" + "<div>" * 10_000)
    editor.patch(f"/events/{EventFactory().pk}", {"title": "What is read once, is read"})

    response, share = counted(editor.patch, f"/events/{record.pk}", {"title": "B"})

    assert response.json()["description"] == "<p>Words</p>"
    assert share < 1


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.fuzz
def test_json_of_any_depth_is_read_or_refused(editor, name):
    record = FACTORIES[name]()
    for depth in DEPTHS:
        body = {**BODIES[name], NAMES[name]: f"Level {depth}"}

        created = editor.post(
            f"/{name}", nested(depth)[:-1] + b"," + orjson.dumps(body)[1:]
        )
        updated = [
            getattr(editor, method)(f"/{name}/{record.pk}", nested(depth))
            for method in ("post", "put", "patch")
        ]

        if depth <= 100:
            assert created.status_code == 201, depth
            assert [answer.status_code for answer in updated] == [200, 200, 200], depth
        else:
            for answer in (created, *updated):
                assert refusal(answer) == (400, "rest_invalid_json"), depth


@pytest.mark.parametrize("depth", [300, 468, 1000, 1025, 100_000])
def test_objects_that_nest_too_deep_are_no_json_for_us(editor, depth):
    body = b'{"a":' * depth + b"1" + b"}" * depth

    assert refusal(editor.post("/events", body)) == (400, "rest_invalid_json")


@pytest.mark.parametrize("name", BODIES)
def test_json_may_begin_with_a_byte_order_mark(editor, name):
    body = b"\xef\xbb\xbf" + orjson.dumps(BODIES[name])

    response = editor.post(f"/{name}", body)

    assert response.status_code == 201
    assert response.json()[NAMES[name]] == BODIES[name][NAMES[name]]


def test_json_of_very_many_parts_is_not_read(editor):
    body = b'{"x": [' + b"[]," * 300_000 + b"1]}"

    response, share = counted(editor.post, "/events", body)

    assert refusal(response) == (400, "rest_invalid_json")
    assert share < 1


def test_json_may_not_begin_with_two_byte_order_marks(editor):
    body = b"\xef\xbb\xbf" * 2 + orjson.dumps(BODIES["tags"])

    assert refusal(editor.post("/tags", body)) == (400, "rest_invalid_json")
