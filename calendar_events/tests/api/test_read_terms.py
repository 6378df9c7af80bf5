"""``GET /categories`` and ``GET /tags`` (spec 4.3, decisions 7)."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import CategoryFactory, EventFactory, TagFactory
from calendar_events.tests.reading import ids, path, pks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
FACTORIES = {"categories": CategoryFactory, "tags": TagFactory}
both = pytest.mark.parametrize("name", FACTORIES)


def every(name, **query):
    """Return the path of a list that leaves nothing out."""
    return path(name, hide_empty="false", **query)


@both
@pytest.mark.parametrize("trait", ["draft", "trashed", "hidden", "scheduled", "protected"])
def test_terms_without_a_published_event_are_hidden_unless_asked_for(
    anonymous, editor, name, trait
):
    used, unused, unseen = (FACTORIES[name]() for _ in range(3))
    EventFactory(terms=[used])
    EventFactory(terms=[unseen], **{trait: True})

    for viewer in (anonymous, editor):
        assert ids(viewer.get(f"/{name}")) == pks(used)
        assert ids(viewer.get(path(name, hide_empty="1"))) == pks(used)
        assert ids(viewer.get(path(name, hide_empty="0"))) == pks(used, unused, unseen)
    assert bad_fields(anonymous.get(path(name, hide_empty="maybe"))) == ["hide_empty"]


@both
def test_the_count_of_a_term_inside_an_event_leaves_out_what_is_scheduled(
    anonymous, editor, name
):
    term = FACTORIES[name]()
    event = EventFactory(terms=[term])
    EventFactory(terms=[term])

    def counts(viewer):
        inside = viewer.get(f"/events/{event.pk}").json()
        listed = viewer.get(path("events", include=event.pk)).json()["events"][0]
        alone = viewer.get(f"/{name}/{term.pk}").json()
        of_list = viewer.get(f"/{name}").json()[name][0]
        terms = [inside[name][0], listed[name][0], alone, of_list]
        return {found["count"] for found in terms}

    assert counts(anonymous) == {2}
    soon = timezone.now() + timedelta(days=7)
    for _ in range(3):
        EventFactory(terms=[term], published_at=soon)

    assert [counts(viewer) for viewer in (anonymous, editor)] == [{2}, {2}]
    written = editor.put(f"/events/{event.pk}", {"title": "New"}).json()
    assert written[name][0]["count"] == 2
    with time_machine.travel(soon + timedelta(seconds=1)):
        assert counts(anonymous) == {5}


@both
def test_count_is_the_number_of_published_events(anonymous, editor, name):
    term = FACTORIES[name]()
    events = [EventFactory(terms=[term]) for _ in range(3)]
    EventFactory(terms=[term], draft=True)
    events[0].delete()

    assert anonymous.get(f"/{name}").json()[name][0]["count"] == 2
    assert editor.get(f"/{name}/{term.pk}").json()["count"] == 2
    assert anonymous.get(f"/events/{events[1].pk}").json()[name][0]["count"] == 2


@both
@pytest.mark.parametrize(
    ("query", "order"),
    [
        ({}, "bac"),
        ({"order": "desc"}, "cab"),
        ({"orderby": "name", "order": "sideways"}, "bac"),
        ({"orderby": "id"}, "abc"),
        ({"orderby": "id", "order": "desc"}, "cba"),
        ({"orderby": "slug"}, "cba"),
        ({"orderby": "count"}, "cab"),
        ({"orderby": "colour"}, "bac"),
    ],
)
def test_terms_are_sorted_as_asked(anonymous, name, query, order):
    terms = {
        "a": FACTORIES[name](name="Émile", slug="z"),
        "b": FACTORIES[name](name="adam", slug="y"),
        "c": FACTORIES[name](name="Zoë", slug="x"),
    }
    EventFactory(terms=[terms["a"], terms["b"]])
    EventFactory(terms=[terms["b"]])

    response = anonymous.get(every(name, **query))

    assert ids(response) == [terms[letter].pk for letter in order]


@both
@pytest.mark.parametrize("parameter", ["order", "orderby", "search", "slug", "include"])
def test_an_empty_value_is_refused(anonymous, name, parameter):
    assert bad_fields(anonymous.get(path(name, **{parameter: ""}))) == [parameter]


@both
def test_search_looks_in_name_and_slug(anonymous, name):
    first = FACTORIES[name](name="Night Life", slug="abc", description="dancing")
    second = FACTORIES[name](name="Other", slug="night-walks")

    assert ids(anonymous.get(every(name, search="NIGHT"))) == pks(first, second)
    assert ids(anonymous.get(every(name, search="night life"))) == pks(first)
    assert ids(anonymous.get(every(name, search="dancing"))) == []


@both
def test_include_exclude_and_slug_choose(anonymous, name):
    first, second, third = (FACTORIES[name]() for _ in range(3))

    assert ids(anonymous.get(every(name, include=pks(first, third)))) == pks(first, third)
    assert ids(anonymous.get(every(name, exclude=f"{first.pk},{third.pk}"))) == pks(second)
    assert ids(anonymous.get(every(name, exclude=pks(first, second, third)))) == []
    assert ids(anonymous.get(every(name, slug=second.slug))) == pks(second)
    assert ids(anonymous.get(every(name, slug="nothing"))) == []


@both
@pytest.mark.parametrize("parameter", ["include", "exclude", "post", "event"])
def test_an_identifier_that_is_not_there_is_refused(anonymous, name, parameter):
    for value in ("987654321", "9" * 30, "foo", "0"):
        response = anonymous.get(every(name, **{parameter: value}))
        assert bad_fields(response) == [parameter]


def test_an_identifier_of_the_other_taxonomy_is_not_there(anonymous):
    tag, category = TagFactory(), CategoryFactory()

    assert bad_fields(anonymous.get(every("tags", include=category.pk))) == ["include"]
    assert bad_fields(anonymous.get(every("categories", parent=tag.pk))) == ["parent"]
    assert refusal(anonymous.get(f"/tags/{category.pk}")) == (404, "rest-tag-not-found")
    assert refusal(anonymous.get(f"/categories/{tag.pk}")) == (
        404,
        "rest-category-not-found",
    )


@both
def test_post_and_its_alias_event_choose_the_terms_of_an_event(anonymous, name):
    first, second = FACTORIES[name](), FACTORIES[name]()
    event = EventFactory(terms=[second])

    assert ids(anonymous.get(every(name, post=event.pk))) == pks(second)
    assert ids(anonymous.get(path(name, event=event.pk))) == pks(second)
    assert first.pk


@both
def test_of_post_and_event_together_event_wins(anonymous, name):
    first, second = FACTORIES[name](), FACTORIES[name]()
    one, other = EventFactory(terms=[first]), EventFactory(terms=[second])

    found = anonymous.get(path(name, post=one.pk, event=other.pk))
    reverse = anonymous.get(path(name, event=one.pk, post=other.pk))

    assert (ids(found), found.json()["total"]) == (pks(second), 1)
    assert ids(reverse) == pks(first)
    unknown = anonymous.get(path(name, post=987654321, event=other.pk))
    assert bad_fields(unknown) == ["post"]


def test_parent_chooses_what_is_directly_under_a_category(anonymous):
    parent = CategoryFactory()
    child = CategoryFactory(parent=parent)
    CategoryFactory(parent=child)

    response = anonymous.get(every("categories", parent=parent.pk))

    assert ids(response) == pks(child)
    for value in ("0", "", "foo", "987654321"):
        assert bad_fields(anonymous.get(every("categories", parent=value))) == ["parent"]


def test_tags_have_no_parent_to_filter_by(anonymous):
    tag = TagFactory()

    assert ids(anonymous.get(every("tags", parent="foo"))) == pks(tag)


@both
def test_institution_filters(anonymous, name):
    here, there = FACTORIES[name](), FACTORIES[name](institution="1002")

    assert ids(anonymous.get(every(name))) == pks(here, there)
    assert ids(anonymous.get(every(name, institution="1002"))) == pks(there)


@both
def test_there_is_no_route_by_slug(anonymous, name):
    term = FACTORIES[name]()

    for address in (f"by-slug/{term.slug}", term.slug, "foo bar"):
        assert refusal(anonymous.get(f"/{name}/{address}")) == (404, "rest_no_route")
    assert refusal(anonymous.get(f"/{name}/{'9' * 30}"))[0] == 404


def test_a_category_says_where_it_is(anonymous):
    parent = CategoryFactory(name="Arts & Crafts", description="Make things")
    child = CategoryFactory(parent=parent, slug="pottery")
    root = "http://testserver/platform/events/v1"

    assert anonymous.get(f"/categories/{child.pk}").json() == {
        "id": child.pk,
        "count": 0,
        "description": "",
        "name": child.name,
        "slug": "pottery",
        "taxonomy": "tribe_events_cat",
        "parent": parent.pk,
        "meta": [],
        "url": f"{root}/events?categories=pottery",
        "urls": {
            "self": f"{root}/categories/{child.pk}",
            "collection": f"{root}/categories",
            "up": f"{root}/categories/{parent.pk}",
        },
    }
    assert anonymous.get(f"/categories/{parent.pk}").json()["name"] == "Arts & Crafts"
    assert anonymous.get(f"/categories/{parent.pk}").json()["parent"] == 0


def test_a_tag_has_no_parent(anonymous):
    tag = TagFactory()

    document = anonymous.get(f"/tags/{tag.pk}").json()

    assert "parent" not in document
    assert "up" not in document["urls"]
    assert document["taxonomy"] == "post_tag"
