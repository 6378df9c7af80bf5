"""``GET /venues`` and ``GET /organizers`` (spec 4.3, decisions 7)."""

from datetime import UTC, datetime, timedelta

import pytest

from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import (
    LONG_AGO,
    EventFactory,
    OrganizerFactory,
    VenueFactory,
    at_day,
)
from calendar_events.tests.reading import ids, path, pks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
FACTORIES = {"venues": VenueFactory, "organizers": OrganizerFactory}
both = pytest.mark.parametrize("name", FACTORIES)


@both
def test_the_newest_come_first_then_the_higher_id(anonymous, name):
    older = FACTORIES[name](published_at=LONG_AGO - timedelta(days=1))
    first, second = FACTORIES[name](), FACTORIES[name]()

    assert ids(anonymous.get(f"/{name}")) == pks(second, first, older)


@both
@pytest.mark.parametrize(
    ("query", "order"),
    [
        ({"order": "asc"}, "abc"),
        ({"orderby": "title"}, "bac"),
        ({"orderby": "title", "order": "desc"}, "cab"),
        ({"orderby": "id"}, "abc"),
        ({"orderby": "date"}, "cba"),
        ({"orderby": "modified"}, "cba"),
        ({"orderby": "colour", "order": "sideways"}, "cba"),
    ],
)
def test_records_are_sorted_as_asked(anonymous, name, query, order):
    records = {
        letter: FACTORIES[name](
            name=title,
            published_at=LONG_AGO + timedelta(days=day),
            written_at=LONG_AGO + timedelta(days=day),
        )
        for day, (letter, title) in enumerate(
            {"a": "Émile", "b": "adam", "c": "Zoë"}.items()
        )
    }

    response = anonymous.get(path(name, **query))

    assert ids(response) == [records[letter].pk for letter in order]


@pytest.mark.parametrize(
    "search",
    [
        *("grand café", "CAFE", "on the corner", "baker street", "london", "surrey"),
        *("england", "ab1 2cd", "0199"),
    ],
)
def test_venues_are_searched_in_name_description_address_and_phone(anonymous, search):
    venue = VenueFactory(
        name="Grand Café",
        description="<p>On <b>the corner</b></p>",
        address="221b Baker Street",
        city="London",
        province="Surrey",
        state="England",
        zip="AB1 2CD",
        phone="555 0199",
    )
    VenueFactory()

    response = anonymous.get(path("venues", search=search))

    assert ids(response) == pks(venue)
    assert response.json()["total"] == 1


@pytest.mark.parametrize(
    "search", ["troupe", "who play", "0199", "one@troupe", "https://troupe.example"]
)
def test_organizers_are_searched_in_name_description_and_contact(anonymous, search):
    organizer = OrganizerFactory(
        name="The Troupe",
        description="<p>who play</p>",
        phone="555 0199",
        email="one@troupe.example",
        website="https://troupe.example/",
    )
    OrganizerFactory()

    assert ids(anonymous.get(path("organizers", search=search))) == pks(organizer)


@both
def test_search_is_one_text_and_without_a_match_the_total_is_nothing(anonymous, name):
    FACTORIES[name](name="one two")

    assert len(ids(anonymous.get(path(name, search="one two")))) == 1
    response = anonymous.get(path(name, search="two one"))
    assert (ids(response), response.json()["total"]) == ([], 0)
    assert bad_fields(anonymous.get(path(name, search=""))) == ["search"]


@both
def test_event_finds_what_the_event_is_linked_to(anonymous, name):
    linked, _ = FACTORIES[name](), FACTORIES[name]()
    event = EventFactory(**{name: [linked]})

    assert ids(anonymous.get(path(name, event=event.pk))) == pks(linked)
    for value in ("987654321", "foo", "", "0"):
        assert bad_fields(anonymous.get(path(name, event=value))) == ["event"]


@both
@pytest.mark.parametrize("trait", ["draft", "trashed", "hidden", "scheduled"])
def test_has_events_counts_only_events_that_the_caller_may_see(
    anonymous, editor, name, trait
):
    visible, unseen, none = (FACTORIES[name]() for _ in range(3))
    EventFactory(**{name: [visible]}, start=at_day(-90))
    EventFactory(**{name: [unseen], trait: True})

    with_events = anonymous.get(path(name, has_events="true"))
    without = anonymous.get(path(name, has_events="false"))
    for_editor = editor.get(path(name, has_events="yes"))

    assert ids(with_events) == pks(visible)
    assert ids(without) == pks(none, unseen)
    seen = trait in {"draft", "scheduled"}
    assert ids(for_editor) == (pks(unseen, visible) if seen else pks(visible))


@both
def test_only_with_upcoming_looks_at_all_events_to_come(anonymous, editor, name):
    many = [FACTORIES[name]() for _ in range(12)]
    for record in many:
        EventFactory(**{name: [record]})
    past, planned = FACTORIES[name](), FACTORIES[name]()
    EventFactory(**{name: [past]}, start=at_day(-3))
    EventFactory(**{name: [planned]}, draft=True)

    upcoming = anonymous.get(path(name, only_with_upcoming="true", per_page=50))
    everything = anonymous.get(path(name, only_with_upcoming="false", per_page=50))
    for_editor = editor.get(path(name, only_with_upcoming="1", per_page=50))

    assert sorted(ids(upcoming)) == pks(*many)
    assert len(ids(everything)) == 14
    assert sorted(ids(for_editor)) == pks(*many, planned)


@both
def test_institution_and_modified_after_filter(anonymous, name):
    here = FACTORIES[name]()
    there = FACTORIES[name](institution="1002", written_at=datetime(2024, 5, 1, tzinfo=UTC))

    assert ids(anonymous.get(path(name, institution="1001"))) == pks(here)
    assert ids(anonymous.get(path(name, modified_after="2024-04-30"))) == pks(there)
    assert ids(anonymous.get(path(name, modified_after="2024-05-01"))) == []


@both
@pytest.mark.parametrize("status", ["foo", "publish,foo"])
def test_a_status_that_is_none_is_refused(anonymous, editor, name, status):
    assert bad_fields(editor.get(path(name, status=status))) == ["status"]
    assert bad_fields(anonymous.get(path(name, status="draft"))) == ["status"]


@both
def test_each_status_can_be_asked_for(editor, name):
    for trait in ("draft", "pending", "private", "scheduled", "trashed"):
        record = FACTORIES[name](**{trait: True})
        status = {"scheduled": "future", "trashed": "trash"}.get(trait, trait)
        response = editor.get(path(name, status=status))
        document = response.json()[name][0]
        assert ids(response) == pks(record)
        assert document["status"] == status


@both
def test_singles_are_read_by_id_and_by_slug_with_or_without_a_slash(anonymous, name):
    record = FACTORIES[name](complete=True)
    by_id = anonymous.get(f"/{name}/{record.pk}")

    for address in (
        f"/{name}/{record.pk}/",
        f"/{name}/by-slug/{record.slug}",
        f"/{name}/by-slug/{record.slug}/",
    ):
        assert anonymous.get(address).json() == by_id.json()


@both
def test_what_is_not_there_is_404(anonymous, name):
    kind = name.removesuffix("s")
    for address in ("0", "987654321", "9" * 30, "by-slug/nothing", "by-slug/%00"):
        response = anonymous.get(f"/{name}/{address}")
        assert refusal(response) == (404, f"rest-{kind}-not-found")
    for address in ("foo", "-1", "1.5", "by-slug", "1/2"):
        assert refusal(anonymous.get(f"/{name}/{address}")) == (404, "rest_no_route")
