"""``GET /events/{id}/venues``, added by a subclass with another ``get_queryset``."""

import pytest

from calendar_events.tests.callers import refusal
from calendar_events.tests.factories import EventFactory, VenueFactory
from calendar_events.tests.reading import ids, pks

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("calendar_events.tests.extension.urls"),
]


@pytest.fixture
def halls(db):
    return [VenueFactory() for _ in range(3)]


@pytest.fixture
def event(halls):
    return EventFactory(venues=halls[:2])


def test_a_sub_resource_lists_what_its_parent_has(anonymous, event, halls):
    response = anonymous.get(f"/events/{event.pk}/venues?orderby=id&order=asc")

    assert ids(response) == pks(*halls[:2])
    assert response.json()["total"] == 2


def test_links_of_a_sub_resource_lead_to_the_sub_resource(anonymous, event):
    here = f"http://testserver/platform/events/v1/events/{event.pk}/venues"

    response = anonymous.get(f"/events/{event.pk}/venues/?per_page=1&orderby=id")

    document = response.json()
    assert document["rest_url"] == f"{here}?page=1&per_page=1&orderby=id"
    assert document["next_rest_url"] == f"{here}?page=2&per_page=1&orderby=id"
    assert response.headers["Link"] == f'<{document["next_rest_url"]}>; rel="next"'
    following = anonymous.get(document["next_rest_url"].split("/v1")[1])
    assert len(ids(following)) == 1
    assert following.json()["previous_rest_url"] == f"{here}?per_page=1&orderby=id"


def test_two_parents_never_share_an_entity_tag(anonymous, event, halls):
    other = EventFactory(venues=halls[2:])
    empty, barren = EventFactory(), EventFactory()

    tags = [
        anonymous.get(f"/events/{parent.pk}/venues").headers["ETag"]
        for parent in (event, other, empty, barren)
    ]

    assert len(set(tags)) == 4
    assert not any(tag.startswith("W/") for tag in tags)


def test_a_sub_resource_is_304_until_it_changes(anonymous, editor, event, halls):
    address = f"/events/{event.pk}/venues"
    tag = anonymous.get(address).headers["ETag"]

    assert anonymous.get(address, If_None_Match=tag).status_code == 304

    editor.patch(f"/venues/{halls[0].pk}", {"venue": "Renamed"})

    assert anonymous.get(address, If_None_Match=tag).status_code == 200


@pytest.mark.parametrize("parent", ["987654321", "9" * 30])
def test_an_unknown_parent_is_404(anonymous, parent):
    response = anonymous.get(f"/events/{parent}/venues")

    assert refusal(response) == (404, "rest_no_route")
    assert parent in response.json()["data"]["detail"]


def test_a_parent_that_may_not_be_read_is_404(anonymous, editor):
    draft = EventFactory(draft=True)

    assert anonymous.get(f"/events/{draft.pk}/venues").status_code == 404
    assert editor.get(f"/events/{draft.pk}/venues").status_code == 200


def test_the_venues_of_a_protected_event_stay_hidden(anonymous, halls):
    event = EventFactory(venues=halls, password="secret")

    assert ids(anonymous.get(f"/events/{event.pk}/venues")) == []
