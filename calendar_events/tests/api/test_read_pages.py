"""Pages, totals and links of every list (decisions 7)."""

import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.db import connection

from calendar_events.models import Event
from calendar_events.store import lists
from calendar_events.tests.callers import Caller, bad_fields, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
    at_day,
)
from calendar_events.tests.reading import ids, path, pks

pytestmark = pytest.mark.both_databases

LISTS = {
    "events": EventFactory,
    "venues": VenueFactory,
    "organizers": OrganizerFactory,
    "categories": CategoryFactory,
    "tags": TagFactory,
}
KINDS = {"categories": "term", "tags": "term"}


def everything(name):
    """Return the query under which a list has all that a factory makes."""
    return {"hide_empty": "false"} if name in KINDS else {}


def walk(caller, address):
    """Follow the links of a list; return all identifiers, and every page's total."""
    found, totals = [], []
    while address:
        response = caller.client.get(address)
        document = response.json()
        found += ids(response)
        totals.append(document["total"])
        assert response.headers["X-TEC-Total"] == str(document["total"])
        assert response.headers["X-TEC-TotalPages"] == str(document["total_pages"])
        address = document.get("next_rest_url")
        link = f'<{address}>; rel="next"'
        assert (link in response.headers.get("Link", "")) == bool(address)
    return found, totals


@pytest.mark.django_db
@pytest.mark.parametrize("name", LISTS)
def test_paging_through_gives_everything_once_and_the_right_total(anonymous, name):
    made = [LISTS[name]().pk for _ in range(5)]

    found, totals = walk(
        anonymous,
        f"/platform/events/v1{path(name, per_page=2, **everything(name))}",
    )

    assert sorted(found) == sorted(made)
    assert totals == [5, 5, 5]


@pytest.mark.django_db
@pytest.mark.parametrize("name", LISTS)
def test_a_page_past_the_end_is_404_and_an_empty_first_page_is_not(anonymous, name):
    empty = anonymous.get(path(name, **everything(name)))
    LISTS[name]()

    beyond = anonymous.get(path(name, page=2, **everything(name)))
    far = anonymous.get(path(name, page="9" * 25, **everything(name)))

    kind = KINDS.get(name, name.removesuffix("s"))
    assert (empty.json()["total"], empty.json()["total_pages"]) == (0, 0)
    assert "next_rest_url" not in empty.json()
    assert refusal(beyond) == refusal(far) == (404, f"{kind}-archive-page-not-found")


@pytest.mark.django_db
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("parameter", ["page", "per_page"])
@pytest.mark.parametrize("value", ["0", "-1", "foo", "", "1.5", "1e3", "٣"])
def test_a_page_that_is_no_number_is_refused(anonymous, name, parameter, value):
    assert bad_fields(anonymous.get(path(name, **{parameter: value}))) == [parameter]


@pytest.mark.django_db
def test_a_whole_number_may_be_written_with_a_point(anonymous):
    assert anonymous.get(path("events", page="1.0", per_page="5.00")).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("name", LISTS)
def test_per_page_is_ten_and_never_more_than_fifty(anonymous, name):
    for _ in range(51):
        LISTS[name]()

    default = anonymous.get(path(name, **everything(name)))
    large = anonymous.get(path(name, per_page=1000, **everything(name)))

    assert len(ids(default)) == 10
    assert len(ids(large)) == 50
    assert large.json()["total_pages"] == 2


@pytest.mark.django_db
@time_machine.travel(datetime(2031, 3, 10, 12, tzinfo=UTC), tick=False)
def test_links_keep_every_filter_and_tell_the_window(anonymous):
    tag, venue = TagFactory(), VenueFactory()
    for _ in range(3):
        EventFactory(terms=[tag], venues=[venue], featured=True, title="Señor & sons")

    document = anonymous.get(
        path(
            "events",
            per_page=1,
            page=2,
            search="señor &",
            tags=[tag.pk, tag.slug],
            venue=venue.pk,
            featured="true",
            order="desc",
            orderby="title",
            tz="Asia/Tokyo",
            institution="1001",
            password="hush",
            colour="blue",
        )
    ).json()

    links = {
        name: {
            key: value[0] for key, value in parse_qs(urlsplit(document[name]).query).items()
        }
        for name in ("rest_url", "next_rest_url", "previous_rest_url")
    }
    filters = {
        "per_page": "1",
        "search": "señor &",
        "tags": f"{tag.pk},{tag.slug}",
        "venue": str(venue.pk),
        "featured": "true",
        "order": "desc",
        "orderby": "title",
        "tz": "Asia/Tokyo",
        "institution": "1001",
        "start_date": "2031-03-09 00:00:00",
        "end_date": "2033-03-10 23:59:59",
    }
    assert links["rest_url"] == {**filters, "page": "2"}
    assert links["next_rest_url"] == {**filters, "page": "3"}
    assert links["previous_rest_url"] == filters
    assert document["rest_url"].startswith("http://testserver/platform/events/v1/events?")


@pytest.mark.django_db
def test_relative_words_become_absolute_in_links_and_lead_to_the_same_list(anonymous):
    with time_machine.travel(datetime(2031, 3, 10, 23, 59, tzinfo=UTC), tick=False):
        event = EventFactory(start=at_day(1), end=at_day(1, hour=13))
        later = EventFactory(start=at_day(2), end=at_day(2, hour=13))
        first = anonymous.get(path("events", start_date="tomorrow", per_page=1))
    with time_machine.travel(datetime(2031, 3, 11, 0, 1, tzinfo=UTC), tick=False):
        again = anonymous.client.get(first.json()["rest_url"])
        second = anonymous.client.get(first.json()["next_rest_url"])

    assert ids(first) == ids(again) == pks(event)
    assert ids(second) == pks(later)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        {"end_date": "2031"},
        {"starts_after": "2031-03"},
        {"start_date": "2031-10-26 02:30:00", "strict_dates": "true"},
        {"ends_before": "2031-10-26T02:30:00+01:00", "strict_dates": "true"},
        {"modified_after": "2031-10-26T02:30:00+01:00"},
    ],
)
def test_the_told_query_is_the_query_that_was_answered(anonymous, query, settings):
    settings.TIME_ZONE = "Europe/Berlin"

    first = anonymous.get(path("events", **query)).json()["rest_url"]
    second = anonymous.client.get(first).json()["rest_url"]

    assert first == second


@pytest.mark.django_db
@pytest.mark.parametrize("page", [1, 30, 55, 60])
def test_deep_pages_are_found_like_the_first(anonymous, monkeypatch, page):
    monkeypatch.setattr(lists, "DEEP", 4)
    made = [EventFactory(start=at_day(number % 7)).pk for number in range(60)]
    everything = Event.objects.filter(pk__in=made).order_by("start_utc", "id")

    response = anonymous.get(path("events", per_page=1, page=page))

    assert ids(response) == [everything[page - 1].pk]
    assert response.json()["total"] == 60


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        {"search": "evening"},
        {"search": "ve", "order": "desc"},
        {"search": "evening -morning", "orderby": "title"},
        {"search": '"an evening"', "categories": "music"},
        {"search": "evening", "featured": "false"},
        {"search": "-morning"},
        {"search": "qqq"},
    ],
)
def test_a_search_finds_the_same_pages_in_any_order(editor, monkeypatch, query):
    monkeypatch.setattr(lists, "DEEP", 6)  # the second page
    music = CategoryFactory(slug="music")
    made = [
        EventFactory(
            title=f"An evening {number:02}",
            start=at_day(9 - number % 7),
            status="draft" if number == 4 else "publish",
            terms=[music],
        )
        for number in range(12)
    ]
    EventFactory(title="A morning")
    is_title = query.get("orderby") == "title"
    ordered = sorted(
        [] if query["search"] == "qqq" else made,
        key=lambda event: (event.sort_text if is_title else event.start_utc, event.pk),
        reverse=query.get("order") == "desc",
    )

    answers = [
        editor.get(path("events", per_page=6, page=page, **query))
        for page in range(1, max(len(ordered) // 6, 1) + 1)
    ]

    assert [pk for answer in answers for pk in ids(answer)] == pks(*ordered)
    assert {answer.json()["total"] for answer in answers} == {len(ordered)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        {},
        {"start_date": "now", "strict_dates": "true"},
        {"tz": "Asia/Kolkata"},
        {"start_date": "2000-01-01", "end_date": "2099-12-31"},
        {"starts_after": "yesterday"},
        {"ends_before": "+10 days"},
        {"overlaps": "true"},
        {"institution": "1001"},
        {"categories": "first"},
        {"categories": "first,second"},
        {"search": "evening"},
        {"featured": "false"},
        {"order": "desc"},
        {"orderby": "title"},
    ],
)
def test_totals_are_what_paging_returns_under_every_filter(anonymous, editor, query):
    terms = {
        institution: [
            CategoryFactory(slug=slug, institution=institution)
            for slug in ("first", "second")
        ]
        for institution in ("1001", "1002")
    }
    for day in range(-3, 12):
        institution = "1001" if day % 3 else "1002"
        first, second = terms[institution]
        EventFactory(
            start=at_day(day, hour=day % 24),
            end=at_day(day + day % 4, hour=23),
            terms=[[first], [second], [first, second], []][day % 4],
            institution=institution,
            featured=day % 5 == 0,
        )
    EventFactory(start=at_day(3), end=at_day(4000))
    EventFactory(scheduled=True, terms=[first])
    EventFactory(hidden=True, terms=[first])
    EventFactory(draft=True, terms=[first, second])
    EventFactory(protected=True, terms=[first])

    for viewer in (anonymous, editor):
        address = f"/platform/events/v1{path('events', per_page=4, **query)}"
        if viewer.token:
            found, totals = [], []
            while address:
                response = viewer.client.get(
                    address, headers={"Authorization": f"Bearer {viewer.token}"}
                )
                found += ids(response)
                totals.append(response.json()["total"])
                address = response.json().get("next_rest_url")
        else:
            found, totals = walk(viewer, address)

        assert len(found) == len(set(found))
        assert set(totals) == {len(found)}
        assert found


@pytest.mark.django_db
@pytest.mark.parametrize("scope", ["", "institution", "tags", "venue", "organizer"])
@pytest.mark.parametrize("clock", ["00:00:00", "12:34:56", "23:59:59"])
def test_an_event_at_the_very_last_second_of_a_strict_window_is_counted(
    anonymous, scope, clock
):
    last = datetime.fromisoformat(f"2098-06-30T{clock}")
    venue, organizer, tag = VenueFactory(), OrganizerFactory(), TagFactory()
    linked = {"venues": [venue], "organizers": [organizer], "terms": [tag]}
    event = EventFactory(start=last, end=last, **linked)
    too_late = last + timedelta(seconds=1)
    EventFactory(start=too_late, end=too_late, **linked)
    values = {
        "institution": "1001",
        "tags": tag.pk,
        "venue": venue.pk,
        "organizer": organizer.pk,
    }
    query = {scope: values[scope]} if scope else {}

    page = anonymous.get(
        path(
            "events",
            start_date="2098-06-01 00:00:00",
            end_date=f"{last}",
            strict_dates="true",
            **query,
        )
    )

    assert (ids(page), page.json()["total"]) == (pks(event), 1)


@pytest.mark.django_db(transaction=True)
def test_a_page_agrees_with_its_total_while_another_process_writes():
    made = [EventFactory() for _ in range(12)]
    stop = threading.Event()
    reader, seen = Caller(), []

    def write():
        try:
            while not stop.is_set():
                EventFactory()
                Event.objects.order_by("-id").first().delete()
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(25):
            document = reader.get("/events?per_page=50").json()
            seen.append((len(document["events"]), document["total"]))
    finally:
        stop.set()
        writer.join()

    assert all(listed == total for listed, total in seen)
    assert all(listed >= len(made) for listed, _ in seen)
