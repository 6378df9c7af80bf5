"""What reading costs: as many statements however many rows there are."""

import pytest

from calendar_events.tests.callers import caller
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

# The state of the calendar, the page with its total, what the page carries.
PLAIN = 3
LISTS = {
    "/events": PLAIN,
    "/events?per_page=50": PLAIN,
    "/events?search=evening": PLAIN,
    "/events?search=absent": PLAIN - 1,  # nothing to carry
    "/events?search=-evening": PLAIN - 1,
    "/events?search=evening%20-morning%20%22evening%20%22": PLAIN,
    "/events?featured=false&ticketed=false": PLAIN,
    "/events?institution=1001": PLAIN,
    "/events?include={event},987654321": PLAIN,
    "/events?starts_after=2020-01-01": PLAIN,
    "/events?start_date=2020-01-01&end_date=2099-01-01": PLAIN,
    "/events?overlaps=true": PLAIN,
    "/events?geoloc=true": PLAIN,
    "/events?geoloc_lat=40&geoloc_lng=-83&radius=500": PLAIN,
    "/events?modified_after=2019-01-01": PLAIN,
    "/events?orderby=title&order=desc": PLAIN,
    "/events?status=publish": PLAIN,
    "/events?password=opensesame": PLAIN,
    # One more for each filter that names something.
    "/events?categories=cats": PLAIN + 1,
    "/events?categories=cats,dogs&tags=fun": PLAIN + 2,
    "/events?venue={venue}": PLAIN + 1,
    "/events?organizer={organizer}": PLAIN + 1,
    "/events?post_parent={event}": PLAIN + 1 - 1,  # no children, so nothing to carry
    "/venues": PLAIN - 1,
    "/venues?search=hall&has_events=true&only_with_upcoming=true": PLAIN - 1,
    "/venues?event={event}": PLAIN,
    "/organizers": PLAIN - 1,
    "/organizers?event={event}": PLAIN,
    "/categories": PLAIN - 1,
    "/tags?hide_empty=false&orderby=count&search=fun": PLAIN - 1,
    "/tags?event={event}": PLAIN,
    "/categories?include={category}&exclude={other}": PLAIN + 1,
}
SINGLES = {
    "/events/{event}": 2,  # the event and the versions around it, what it carries
    "/events/by-slug/the-event": 3,  # which event it is, then the same
    "/venues/{venue}": 1,
    "/organizers/{organizer}": 1,
    "/categories/{category}": 1,
    "/tags/{tag}": 1,
    "/events/{event}.ics": 3,  # the same, and its stored text
}


@pytest.fixture(params=[1, 3])
def names(request, db):
    """A calendar of one or three of everything, by the names of the addresses."""
    category, other = CategoryFactory(slug="cats"), CategoryFactory(slug="dogs")
    tag = TagFactory(slug="fun", name="Fun")
    venues = [VenueFactory(located=True) for _ in range(request.param)]
    organizers = [OrganizerFactory() for _ in range(request.param)]
    made = [
        EventFactory(
            slug="the-event" if number == 0 else f"another-{number}",
            venues=venues,
            organizers=organizers,
            terms=[category, other, tag],
        )
        for number in range(request.param)
    ]
    EventFactory(protected=True)
    return {
        "event": made[0].pk,
        "venue": made[0].venues.first().pk,
        "organizer": made[0].organizers.first().pk,
        "category": category.pk,
        "other": other.pk,
        "tag": tag.pk,
    }


@pytest.mark.parametrize("address", [*LISTS, *SINGLES])
def test_reading_costs_the_same_however_much_there_is(
    anonymous, names, address, django_assert_num_queries
):
    with django_assert_num_queries({**LISTS, **SINGLES}[address]):
        response = anonymous.get(address.format(**names))

    assert response.status_code == 200, response.content


@pytest.mark.parametrize("role", ["editor", "author", "contributor", ""])
@pytest.mark.parametrize("address", ["/events", "/venues", "/categories"])
def test_a_signed_list_costs_no_statement_more(
    db, names, role, address, django_assert_num_queries
):
    """The permissions come with the state; the key store of these tests is in memory."""
    viewer = caller(*([role] if role else []))

    with django_assert_num_queries(LISTS[address]):
        response = viewer.get(address)

    assert response.status_code == 200


@pytest.mark.parametrize("address", ["/events/{event}", "/venues/{venue}"])
def test_a_signed_single_also_asks_for_the_permissions(
    editor, names, address, django_assert_num_queries
):
    with django_assert_num_queries(SINGLES[address] + 1):
        editor.get(address.format(**names))


def test_an_unchanged_list_costs_one_statement(anonymous, names, django_assert_num_queries):
    tag = anonymous.get("/events").headers["ETag"]

    with django_assert_num_queries(1):
        response = anonymous.get("/events", If_None_Match=tag)

    assert response.status_code == 304


def test_an_unchanged_event_costs_one_statement(
    anonymous, names, django_assert_num_queries
):
    address = f"/events/{names['event']}"
    tag = anonymous.get(address).headers["ETag"]

    with django_assert_num_queries(1):
        response = anonymous.get(address, If_None_Match=tag)

    assert response.status_code == 304
