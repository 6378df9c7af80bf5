"""FilterSets make the filters that were sent, and name everything that is wrong."""

import pytest
from django.http import QueryDict
from django.utils import timezone

from calendar_events.filters.base import by_parameter
from calendar_events.filters.filtersets import EventFilter
from calendar_events.models import Event
from calendar_events.models.visibility import ANONYMOUS
from platform_errors.errors.writes import InvalidParameters

pytestmark = pytest.mark.both_databases


def filterset(query: str) -> EventFilter:
    """Return the FilterSet of a query."""
    now = timezone.now()
    events = Event.objects.listed_for(ANONYMOUS, now)
    return EventFilter(by_parameter(QueryDict(query)), events, now=now)


def test_only_the_filters_of_parameters_that_were_sent_are_made():
    made = filterset("featured=1&venue[]=3&venue[1]=4&unknown=x")

    assert set(made.filters) == {"featured", "venue"}
    assert made.values == {"featured": True, "venue": [3, 4]}


@pytest.mark.parametrize(
    "query", ["a=1,2", "a[]=1&a[]=2", "a[0]=1&a[1]=2", "a=1&a=2", "a=1&b=3&a[]=2"]
)
def test_every_syntax_of_a_list_is_the_same_list(query):
    values = by_parameter(QueryDict(query)).getlist("a")

    assert ",".join(values) == "1,2"


def test_a_request_leaves_the_declaration_as_it_is():
    first, second = filterset("start_date=2027-01-01"), filterset("start_date=2028-01-01")

    years = [made.values["start_date"].utc.year for made in (first, second)]

    assert first.filters["start_date"] is not second.filters["start_date"]
    assert years in ([2026, 2027], [2027, 2028])  # midnight is in another year of UTC
    assert "parse" not in EventFilter.base_filters["start_date"].extra


@pytest.mark.django_db
def test_everything_that_is_wrong_is_named_at_once():
    asked = filterset("featured=perhaps&categories=nowhere&geoloc_lat=5&per_page=0")
    asked.qs  # noqa: B018 -- filtering finds out what cannot be used

    with pytest.raises(InvalidParameters) as refused:
        asked.require_valid()

    assert set(refused.value.params) == {
        "featured",
        "categories",
        "geoloc_lng",
        "per_page",
    }
