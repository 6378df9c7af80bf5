"""Query strings and headers that were made to cost."""

import pytest

from calendar_events.tests.callers import bad_fields
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import ids, path, pks
from calendar_events.tests.steps import steps

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.mark.parametrize(
    "query",
    [
        "a" + "[" * 60_000 + "=1",
        "a" + "[x" * 30_000 + "=1",
        "tags" + "[]" * 30_000 + "=1",
        "tags=" + "a," * 30_000,
        "&".join(["tags[]=a"] * 900),
        "&".join(["tags=a"] * 900),
        "start_date=" + "+1+day" * 10_000,
        "search=" + "a+" * 30_000,
        "search=a" + "%CC%80%CC%96" * 80,
        "tz=" + "+" * 60_000,
        "geoloc_lat=" + "1" * 60_000 + "&geoloc_lng=1",
        "_fields=" + ".".join("a" * 240),
    ],
    ids=lambda query: query[:24],
)
def test_a_query_is_answered_at_once(anonymous, query):
    answers = []
    anonymous.get("/events?search=warm")
    count = steps(lambda: answers.append(anonymous.get(f"/events?{query}")))

    assert answers[0].status_code in {200, 400}
    assert count < 20_000 + 10 * len(query)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("collection", "query", "bad"),
    [
        ("events", {"strict_dates": ""}, "strict_dates"),
        ("events", {"geoloc_lat": "north", "geoloc_lng": "0"}, "geoloc_lat"),
        ("events", {"geoloc_lat": "-90.1", "geoloc_lng": "0"}, "geoloc_lat"),
        ("events", {"search": "a b c d e f g h i j k l m n o p q r s t u"}, "search"),
        ("events", {"include": ",".join(["1"] * 501)}, "include"),
        ("events", {"include": ",,"}, "include"),
        ("events", {"overlaps": "perhaps"}, "overlaps"),
        ("events", {"tz": ""}, "tz"),
        ("events", {"institution": ""}, "institution"),
        ("venues", {"search": "\N{COMBINING ACUTE ACCENT}"}, "search"),
        ("venues", {"has_events": ""}, "has_events"),
        ("tags", {"slug": "x" * 501}, "slug"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(anonymous, collection, query, bad):
    assert bad_fields(anonymous.get(path(collection, **query))) == [bad]


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["%", "a=%zz", "=", "&&&", "search=%ff%fe", "page=%31"])
def test_no_query_string_is_an_accident(anonymous, query):
    assert anonymous.get(f"/events?{query}").status_code in {200, 400}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        *("/events?post_parent={0}", "/events?venue={0}", "/events?organizer=1,{0}"),
        *("/venues?event={0}", "/tags?post={0}", "/tags?include={0}", "/tags?exclude={0}"),
        "/categories?parent={0}",
    ],
)
def test_an_identifier_that_no_row_can_have_is_named_as_it_was_sent(anonymous, address):
    given = "9" * 25

    response = anonymous.get(address.format(given))

    (problem,) = response.json()["data"]["params"].values()
    assert problem.startswith("There is no ")
    assert given in problem


@pytest.mark.django_db
def test_including_an_event_that_no_row_can_be_finds_the_others(anonymous):
    event = EventFactory()

    assert ids(anonymous.get(f"/events?include={event.pk},{'9' * 25}")) == pks(event)
