"""Filters and order of ``GET /events`` (spec 4.3, decisions 7)."""

import pytest

from calendar_events.tests.callers import bad_fields
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
    at_day,
)
from calendar_events.tests.reading import ids, path, pks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("quiet", True),
        ("QUIET night", True),
        ("night quiet", True),
        ('"quiet night"', True),
        ('"night quiet"', False),
        ("quiet -night", False),
        ("quiet -day", True),
        ("cafe", True),
        ("кафе", True),
        ("100%", True),
        ("q", True),
        ("ui -zz", True),
        ('"t n"', True),
        ("qi", False),
        ("a_b", False),
        ("strong", False),
        ("hall", False),
    ],
)
def test_search_looks_for_every_word_in_title_excerpt_and_description(
    anonymous, search, found
):
    event = EventFactory(
        title="Quiet Night",
        excerpt="at the Café",
        description="<p>In <strong>кафе</strong>, 100% acoustic</p>",
        venues=[VenueFactory(name="Hall")],
    )

    response = anonymous.get(path("events", search=search))

    assert ids(response) == (pks(event) if found else [])
    assert response.json()["total"] == int(found)


@pytest.mark.parametrize("search", ["", "   ", '""', "-", "x" * 501, "\x00"])
def test_a_search_for_nothing_is_refused(anonymous, search):
    assert bad_fields(anonymous.get(path("events", search=search))) == ["search"]


@pytest.mark.parametrize(
    "syntax",
    [
        "venue={0},{1}",
        "venue[]={0}&venue[]={1}",
        "venue={0}&venue={1}",
        "venue[0]={0}&venue[1]={1}",
    ],
)
def test_a_list_is_the_same_in_every_syntax(anonymous, syntax):
    first, second, _ = (VenueFactory() for _ in range(3))
    events = [EventFactory(venues=[venue]) for venue in (first, second)]
    EventFactory(venues=[VenueFactory()])
    EventFactory()
    query = syntax.format(first.pk, second.pk)

    response = anonymous.get(f"/events?{query}")

    assert ids(response) == pks(*events)


def test_categories_are_found_by_id_and_by_slug_with_everything_under_them(anonymous):
    top = CategoryFactory(slug="top")
    under = CategoryFactory(parent=top)
    deep = CategoryFactory(parent=under)
    event = EventFactory(terms=[deep])
    EventFactory(terms=[CategoryFactory()])

    assert ids(anonymous.get(path("events", categories=top.pk))) == pks(event)
    assert ids(anonymous.get(path("events", categories="top"))) == pks(event)
    assert ids(anonymous.get(path("events", categories=under.pk))) == pks(event)


def test_an_event_of_two_categories_is_listed_and_counted_once(anonymous):
    first, second = CategoryFactory(), CategoryFactory()
    both = EventFactory(terms=[first, second])
    one = EventFactory(terms=[first])

    response = anonymous.get(path("events", categories=f"{first.pk},{second.slug}"))

    assert ids(response) == pks(both, one)
    assert response.json()["total"] == 2


def test_several_tags_are_alternatives(anonymous):
    first, second = TagFactory(), TagFactory()
    events = [EventFactory(terms=[first]), EventFactory(terms=[second])]

    response = anonymous.get(path("events", tags=pks(first, second)))

    assert ids(response) == pks(*events)


def test_filters_of_different_kinds_must_all_hold(anonymous):
    category, tag, venue = CategoryFactory(), TagFactory(), VenueFactory()
    organizer = OrganizerFactory()
    event = EventFactory(
        terms=[category, tag], venues=[venue], organizers=[organizer], featured=True
    )
    EventFactory(terms=[category], venues=[venue])
    EventFactory(terms=[tag], organizers=[organizer], featured=True)

    response = anonymous.get(
        path(
            "events",
            categories=category.pk,
            tags=tag.pk,
            venue=venue.pk,
            organizer=organizer.pk,
            featured="true",
        )
    )

    assert ids(response) == pks(event)


def test_an_all_digit_token_is_an_identifier_before_it_is_a_slug(anonymous):
    by_id = TagFactory(slug="plain")
    by_slug = TagFactory(slug=str(by_id.pk))
    only_slug = TagFactory(slug="987654")
    events = [EventFactory(terms=[tag]) for tag in (by_id, by_slug, only_slug)]

    assert ids(anonymous.get(path("events", tags=by_id.pk))) == pks(events[0])
    assert ids(anonymous.get(path("events", tags="987654"))) == pks(events[2])


def test_a_slug_names_its_term_in_every_institution(anonymous):
    here, there = TagFactory(slug="jazz"), TagFactory(slug="jazz", institution="1002")
    first = EventFactory(terms=[here])
    second = EventFactory(terms=[there], institution="1002")

    assert ids(anonymous.get(path("events", tags="jazz"))) == pks(first, second)
    assert ids(anonymous.get(path("events", tags="jazz", institution="1002"))) == pks(
        second
    )


def test_a_category_name_in_a_filter_is_refused(anonymous):
    CategoryFactory(name="Night Life", slug="night-life")

    assert bad_fields(anonymous.get(path("events", categories="Night Life"))) == [
        "categories"
    ]


@pytest.mark.parametrize(
    "name", ["categories", "tags", "venue", "organizer", "post_parent"]
)
@pytest.mark.parametrize("value", ["987654321", "99999999999999999999999", ""])
def test_what_is_not_there_is_refused_by_name(anonymous, name, value):
    assert bad_fields(anonymous.get(path("events", **{name: value}))) == [name]


@pytest.mark.parametrize("name", ["venue", "organizer", "include", "post_parent"])
@pytest.mark.parametrize("value", ["foo", "-1", "0", "1.5"])
def test_an_identifier_that_is_none_is_refused_by_name(anonymous, name, value):
    assert bad_fields(anonymous.get(path("events", **{name: value}))) == [name]


@pytest.mark.parametrize("flag", ["featured", "ticketed"])
def test_a_flag_finds_those_with_it_or_only_those_without(anonymous, flag):
    without, with_it = EventFactory(), EventFactory(**{flag: True})

    assert ids(anonymous.get(path("events", **{flag: "true"}))) == pks(with_it)
    assert ids(anonymous.get(path("events", **{flag: "1"}))) == pks(with_it)
    assert ids(anonymous.get(path("events", **{flag: "false"}))) == pks(without)
    assert ids(anonymous.get("/events")) == pks(without, with_it)
    assert bad_fields(anonymous.get(path("events", **{flag: "maybe"}))) == [flag]


def test_post_parent_finds_the_children(anonymous):
    parent = EventFactory()
    child = EventFactory(post_parent=parent)

    assert ids(anonymous.get(path("events", post_parent=parent.pk))) == pks(child)
    assert ids(anonymous.get(path("events", post_parent=child.pk))) == []


def test_institution_is_a_public_filter(anonymous, stranger):
    here, there = EventFactory(), EventFactory(institution="1002")

    assert ids(anonymous.get(path("events", institution="1001"))) == pks(here)
    assert ids(stranger.get(path("events", institution="1001"))) == pks(here)
    assert ids(anonymous.get(path("events", institution="1002"))) == pks(there)
    assert ids(anonymous.get(path("events", institution="nowhere"))) == []


def test_geoloc_tells_whether_a_venue_has_coordinates(anonymous):
    located = EventFactory(venues=[VenueFactory(), VenueFactory(located=True)])
    elsewhere = EventFactory(venues=[VenueFactory()])
    nowhere = EventFactory()

    assert ids(anonymous.get(path("events", geoloc="true"))) == pks(located)
    assert ids(anonymous.get(path("events", geoloc="false"))) == pks(elsewhere, nowhere)


@pytest.mark.parametrize(
    ("latitude", "longitude", "radius", "found"),
    [
        (40.0, -83.0, None, True),
        (40.2, -83.0, None, True),  # 22 km
        (40.3, -83.0, None, False),  # 33 km
        (40.3, -83.0, 34, True),
        (40.0, -82.71, None, True),  # 24.7 km
        (40.0, -82.70, None, False),  # 25.6 km
        (-40.0, 97.0, 20040, True),  # the other side of the world
    ],
)
def test_a_place_is_found_within_the_radius(anonymous, latitude, longitude, radius, found):
    event = EventFactory(venues=[VenueFactory(geo_lat=40.0, geo_lng=-83.0)])
    query = {"geoloc_lat": latitude, "geoloc_lng": longitude}

    response = anonymous.get(
        path("events", **query, **({"radius": radius} if radius else {}))
    )

    assert ids(response) == (pks(event) if found else [])


@pytest.mark.parametrize(("longitude", "asked"), [(179.9, -179.9), (-179.9, 179.9)])
def test_a_circle_reaches_across_the_date_line(anonymous, longitude, asked):
    event = EventFactory(venues=[VenueFactory(geo_lat=0.0, geo_lng=longitude)])

    response = anonymous.get(path("events", geoloc_lat=0, geoloc_lng=asked))

    assert ids(response) == pks(event)


def test_a_circle_around_a_pole_holds_every_longitude(anonymous):
    event = EventFactory(venues=[VenueFactory(geo_lat=89.95, geo_lng=10.0)])

    response = anonymous.get(path("events", geoloc_lat=89.95, geoloc_lng=-170))

    assert ids(response) == pks(event)


@pytest.mark.parametrize(
    ("query", "bad"),
    [
        ({"geoloc_lat": "40"}, "geoloc_lng"),
        ({"geoloc_lng": "40"}, "geoloc_lat"),
        ({"geoloc_lat": "91", "geoloc_lng": "0"}, "geoloc_lat"),
        ({"geoloc_lat": "nan", "geoloc_lng": "0"}, "geoloc_lat"),
        ({"geoloc_lat": "0", "geoloc_lng": "181"}, "geoloc_lng"),
        ({"geoloc_lat": "0", "geoloc_lng": "0", "radius": "0"}, "radius"),
        ({"geoloc_lat": "0", "geoloc_lng": "0", "radius": "inf"}, "radius"),
        ({"geoloc": "maybe"}, "geoloc"),
    ],
)
def test_half_a_place_is_refused(anonymous, query, bad):
    assert bad in bad_fields(anonymous.get(path("events", **query)))


@pytest.mark.parametrize(
    ("latitude", "longitude", "bad"),
    [("91", "0", "geoloc_lat"), ("0", "181", "geoloc_lng"), ("0", "x", "geoloc_lng")],
)
def test_what_was_sent_and_cannot_be_read_is_not_called_missing(
    anonymous, latitude, longitude, bad
):
    query = {"geoloc_lat": latitude, "geoloc_lng": longitude}

    response = anonymous.get(path("events", **query))

    assert bad_fields(response) == [bad]
    assert "must be sent with" not in response.json()["data"]["params"][bad]


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ({}, "abc"),
        ({"order": "desc"}, "cba"),
        ({"order": "sideways"}, "abc"),
        ({"orderby": "start_date"}, "abc"),
        ({"orderby": "event_date", "order": "desc"}, "cba"),
        ({"orderby": "end_date"}, "bca"),
        ({"orderby": "title"}, "bac"),
        ({"orderby": "title", "order": "DESC"}, "cab"),
        ({"orderby": "id"}, "abc"),
        ({"orderby": "date"}, "abc"),
        ({"orderby": "modified", "order": "desc"}, "cba"),
        ({"orderby": "colour"}, "abc"),
    ],
)
def test_events_are_sorted_as_asked(anonymous, query, order):
    events = {
        "a": EventFactory(title="Émile", start=at_day(1), end=at_day(9)),
        "b": EventFactory(title="adam", start=at_day(2), end=at_day(3)),
        "c": EventFactory(title="Zoë", start=at_day(3), end=at_day(4)),
    }

    response = anonymous.get(path("events", **query))

    assert ids(response) == [events[name].pk for name in order]


def test_events_that_begin_at_one_moment_are_sorted_by_id_whatever_their_clocks(anonymous):
    berlin = EventFactory(start=at_day(5, hour=20), timezone="Europe/Berlin")
    utc = EventFactory(start=at_day(5, hour=19), timezone="UTC")
    earlier = EventFactory(start=at_day(5, hour=19), timezone="Asia/Tokyo")

    assert ids(anonymous.get("/events")) == pks(earlier, berlin, utc)


def test_unknown_parameters_are_ignored(anonymous):
    event = EventFactory()

    response = anonymous.get(path("events", colour="blue", _embed=1, _method="DELETE"))

    assert ids(response) == pks(event)
