"""Parameters more, declared as django-filter documents them."""

import pytest
from drf_spectacular.generators import SchemaGenerator

from calendar_events.tests.callers import bad_fields
from calendar_events.tests.extension.urls import urlpatterns
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import ids, pks

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("calendar_events.tests.extension.urls"),
]


@pytest.fixture
def sticky(db):
    EventFactory.create_batch(3)
    return EventFactory(sticky=True)


def test_a_parameter_more_filters_page_and_total(anonymous, sticky):
    response = anonymous.get("/sticky/events?sticky=true")

    assert ids(response) == pks(sticky)
    assert response.json()["total"] == 1
    assert anonymous.get("/sticky/events").json()["total"] == 4


def test_a_parameter_more_tells_nothing_of_protected_events(anonymous, sticky):
    protected = EventFactory(sticky=True, password="secret")

    assert ids(anonymous.get("/sticky/events?sticky=true")) == pks(sticky)
    opened = anonymous.get("/sticky/events?sticky=true&password=secret")
    assert set(ids(opened)) == {sticky.pk, protected.pk}


@pytest.mark.parametrize("query", ["author={0},{1}", "author[]={0}&author[]={1}"])
def test_a_list_more_takes_every_syntax(anonymous, query):
    first, second, _ = EventFactory.create_batch(3)

    response = anonymous.get(
        f"/sticky/events?{query}".format(first.author_id, second.author_id)
    )

    assert set(ids(response)) == {first.pk, second.pk}


def test_links_repeat_a_parameter_more(anonymous):
    EventFactory.create_batch(2, sticky=True)

    document = anonymous.get("/sticky/events?sticky=true&per_page=1").json()

    assert "&sticky=true" in document["next_rest_url"]
    following = anonymous.get(document["next_rest_url"].split("/v1")[1]).json()
    assert following["total"] == 2


def test_a_parameter_more_does_not_stop_the_calendars_own_refusals(anonymous):
    response = anonymous.get("/sticky/events?sticky=true&page=x")

    assert bad_fields(response) == ["page"]


def test_a_parameter_more_is_described_without_a_second_list():
    patterns = [one for one in urlpatterns if "sticky" in str(one.pattern)]

    document = SchemaGenerator(patterns=patterns).get_schema(public=True)

    operation = document["paths"]["/platform/events/v1/sticky/events"]["get"]
    described = {one["name"]: one for one in operation["parameters"]}
    assert described["sticky"]["schema"] == {"type": "boolean"}
    assert described["sticky"]["description"] == "Only sticky ones."
    assert described["author"]["schema"]["type"] == "array"
    assert {"featured", "per_page"} <= described.keys()
