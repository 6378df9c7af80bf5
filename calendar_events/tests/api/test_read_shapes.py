"""The shapes of answers (contract events 2, decisions 7)."""

from datetime import UTC, datetime

import pytest

from calendar_events.tests.callers import refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.reading import at, path

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ROOT = "http://testserver/platform/events/v1"
IN_LISTS = [
    *("id", "global_id", "global_id_lineage", "author", "status", "date", "date_utc"),
    *("modified", "modified_utc", "url", "rest_url", "title", "description", "excerpt"),
    *("slug", "image", "all_day", "start_date", "start_date_details", "end_date"),
    *("end_date_details", "utc_start_date", "utc_start_date_details", "utc_end_date"),
    *("utc_end_date_details", "timezone", "timezone_abbr", "cost", "cost_details"),
    *("website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured"),
    *("ticketed", "categories", "tags", "venue", "organizer", "custom_fields"),
]


@pytest.fixture
def event(db):
    return EventFactory(
        title='Tom & "Jerry" <3',
        description="<p>Long</p>",
        excerpt="<p>Short</p>",
        start=at("2031-01-15 14:23:36"),
        end=at("2031-01-15 16:03:06"),
        timezone="America/New_York",
        cost="$10 - $20",
        website="https://tickets.example/",
        published_at=datetime(2017, 1, 5, 14, 23, 36, tzinfo=UTC),
        written_at=datetime(2018, 2, 3, 4, 5, 6, 789, tzinfo=UTC),
        image=ImageFactory(),
    )


def test_every_key_of_an_event_is_always_there(anonymous, event):
    (listed,) = anonymous.get("/events?starts_after=2031-01-01").json()["events"]
    single = anonymous.get(f"/events/{event.pk}").json()

    assert list(listed) == IN_LISTS
    assert list(single) == [*IN_LISTS, "json_ld"]
    assert {name: single[name] for name in IN_LISTS} == listed


def test_identity_and_addresses(anonymous, event):
    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["id"] == event.pk
    assert document["author"] == event.author_id
    assert document["global_id"] == f"testserver?id={event.pk}"
    assert document["global_id_lineage"] == [f"testserver?id={event.pk}"]
    assert document["url"] == f"{ROOT}/events/by-slug/{event.slug}"
    assert document["rest_url"] == f"{ROOT}/events/{event.pk}"


def test_dates_are_written_in_their_own_zones_with_padded_parts(anonymous, event, settings):
    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["start_date"] == "2031-01-15 14:23:36"
    assert document["end_date"] == "2031-01-15 16:03:06"
    assert document["utc_start_date"] == "2031-01-15 19:23:36"
    assert document["utc_end_date"] == "2031-01-15 21:03:06"
    assert (document["timezone"], document["timezone_abbr"]) == ("America/New_York", "EST")
    assert document["end_date_details"] == {
        "year": "2031",
        "month": "01",
        "day": "15",
        "hour": "16",
        "minutes": "03",
        "seconds": "06",
    }
    assert document["date"] == document["date_utc"] == "2017-01-05 14:23:36"
    assert document["modified"] == document["modified_utc"] == "2018-02-03 04:05:06"


def test_publication_dates_are_also_in_the_site_zone(anonymous, settings):
    settings.TIME_ZONE = "America/New_York"
    event = EventFactory(published_at=datetime(2017, 7, 5, 2, tzinfo=UTC))

    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["date"] == "2017-07-04 22:00:00"
    assert document["date_utc"] == "2017-07-05 02:00:00"


def test_a_draft_has_no_publication_date(editor):
    event = EventFactory(draft=True)

    document = editor.get(f"/events/{event.pk}").json()

    assert (document["date"], document["date_utc"]) == ("", "")
    assert document["url"] == f"{ROOT}/events/{event.pk}"


def test_titles_are_plain_and_never_escaped(anonymous, event):
    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["title"] == 'Tom & "Jerry" <3'
    assert document["description"] == "<p>Long</p>"
    assert document["website"] == "https://tickets.example/"


def test_a_script_that_got_into_the_database_is_not_answered(anonymous):
    event = EventFactory(description="<p>Hi</p><script>alert(1)</script>")
    venue = VenueFactory(description='<img src=x onerror="alert(1)">')

    assert anonymous.get(f"/events/{event.pk}").json()["description"] == "<p>Hi</p>"
    assert "onerror" not in anonymous.get(f"/venues/{venue.pk}").json()["description"]


def test_costs_are_text_and_numbers(anonymous, event):
    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["cost"] == "$10 \N{EN DASH} $20"
    assert document["cost_details"]["values"] == ["10", "20"]
    assert document["cost_details"]["currency_symbol"] == "$"
    assert document["cost_details"]["currency_code"] == "USD"


def test_an_image_has_its_sizes_with_absolute_addresses(anonymous, event):
    image = anonymous.get(f"/events/{event.pk}").json()["image"]

    assert image["id"] == event.image_id
    assert image["url"].startswith("http://testserver/media/images/")
    assert image["extension"] == "jpg"
    assert (image["width"], image["height"]) == (8, 6)
    assert image["sizes"]["thumbnail"] == {
        "width": 4,
        "height": 3,
        "mime-type": "image/png",
        "filesize": 70,
        "url": "http://testserver/media/images/thumbnail.png",
    }


def test_without_an_image_it_is_false(anonymous):
    assert anonymous.get(f"/events/{EventFactory().pk}").json()["image"] is False


@pytest.mark.parametrize("count", [0, 1, 2])
def test_venue_is_an_empty_list_an_object_or_a_list_in_their_order(anonymous, count):
    venues = [VenueFactory(name=f"Hall {number}") for number in range(count)]
    event = EventFactory(venues=venues[::-1])

    venue = anonymous.get(f"/events/{event.pk}").json()["venue"]

    if count == 1:
        assert venue["venue"] == "Hall 0"
    else:
        assert [one["venue"] for one in venue] == [one.name for one in venues[::-1]]


def test_organizers_are_always_a_list_in_the_given_order(anonymous):
    first, second = OrganizerFactory(), OrganizerFactory()
    event = EventFactory(organizers=[second, first])

    organizers = anonymous.get(f"/events/{event.pk}").json()["organizer"]

    assert [one["id"] for one in organizers] == [second.pk, first.pk]


def test_terms_of_an_event_are_sorted_by_name(anonymous):
    parent = CategoryFactory(name="Zoo")
    child = CategoryFactory(name="ape", slug="ape", description="Monkeys", parent=parent)
    tag = TagFactory(name="Fun", slug="fun")
    event = EventFactory(terms=[parent, tag, child])

    document = anonymous.get(f"/events/{event.pk}").json()

    assert [one["name"] for one in document["categories"]] == ["ape", "Zoo"]
    assert document["categories"][0] == {
        "name": "ape",
        "slug": "ape",
        "term_group": 0,
        "term_taxonomy_id": child.pk,
        "taxonomy": "tribe_events_cat",
        "description": "Monkeys",
        "parent": parent.pk,
        "filter": "raw",
        "id": child.pk,
        "urls": {
            "self": f"{ROOT}/categories/{child.pk}",
            "collection": f"{ROOT}/categories",
            "up": f"{ROOT}/categories/{parent.pk}",
        },
        "count": 1,
    }
    assert document["tags"][0]["taxonomy"] == "post_tag"
    assert document["tags"][0]["parent"] == 0


def test_a_venue_leaves_out_what_is_empty(anonymous):
    bare, full = VenueFactory(), VenueFactory(complete=True, image=ImageFactory())
    always = [
        *("id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url"),
        *("venue", "slug", "show_map", "show_map_link", "global_id", "global_id_lineage"),
    ]
    optional = [
        *("description", "image", "address", "city", "country", "province", "state"),
        *("zip", "phone", "website", "stateprovince", "geo_lat", "geo_lng"),
    ]

    assert list(anonymous.get("/venues").json()["venues"][1]) == always
    assert list(anonymous.get("/venues").json()["venues"][0]) == [*always, *optional]
    document = anonymous.get(f"/venues/{full.pk}").json()
    assert (document["geo_lat"], document["show_map"]) == (40.0, True)
    assert list(anonymous.get(f"/venues/{bare.pk}").json()) == [*always, "json_ld"]


def test_an_organizer_leaves_out_what_is_empty(anonymous):
    bare, full = OrganizerFactory(), OrganizerFactory(complete=True)

    assert "email" not in anonymous.get(f"/organizers/{bare.pk}").json()
    document = anonymous.get(f"/organizers/{full.pk}").json()
    assert document["email"] == "club@club.example"
    assert document["organizer"] == full.name


def test_json_ld_describes_the_event_with_place_person_and_offer(anonymous):
    event = EventFactory(
        title="Yoga",
        description="<p>Bend &amp; breathe</p>",
        start=at("2031-07-15 18:00"),
        end=at("2031-07-15 19:30"),
        timezone="Europe/Berlin",
        cost="€15",
        venues=[VenueFactory(complete=True)],
        organizers=[OrganizerFactory(complete=True)],
    )

    document = anonymous.get(f"/events/{event.pk}").json()
    described = document["json_ld"]

    assert described["@context"] == "http://schema.org"
    assert described["@type"] == "Event"
    assert described["description"] == "Bend & breathe"
    assert described["startDate"] == "2031-07-15T18:00:00+02:00"
    assert described["endDate"] == "2031-07-15T19:30:00+02:00"
    assert described["location"]["@type"] == "Place"
    assert described["location"]["address"]["postalCode"] == "43017"
    assert described["location"]["geo"]["latitude"] == 40.0
    assert described["organizer"]["@type"] == "Person"
    assert described["offers"]["price"] == "15"
    assert described["offers"]["priceCurrency"] == "EUR"
    assert document["venue"]["json_ld"]["@type"] == "Place"


def test_json_ld_of_a_free_event_without_a_place_leaves_both_out(anonymous):
    described = anonymous.get(f"/events/{EventFactory(cost='free').pk}").json()["json_ld"]

    assert not {"location", "organizer", "offers", "image"} & described.keys()


def test_json_ld_is_in_singles_only(anonymous):
    venue = VenueFactory()
    EventFactory(venues=[venue])

    (listed,) = anonymous.get("/events").json()["events"]

    assert "json_ld" not in listed
    assert "json_ld" not in listed["venue"]
    assert anonymous.get(f"/venues/{venue.pk}").json()["json_ld"]["@type"] == "Place"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("events.id", {"events": [{"id": 0}]}),
        (
            "total,events.venue.city",
            {"total": 1, "events": [{"venue": {"city": "Dublin"}}]},
        ),
        ("events.nothing", {"events": [{}]}),
        ("nothing", {}),
        (" total , total_pages ", {"total": 1, "total_pages": 1}),
        ("events.venue.city,events.venue", {"events": [{"venue": ...}]}),
    ],
)
def test_fields_cut_a_list_down(anonymous, fields, found):
    venue = VenueFactory(complete=True)
    event = EventFactory(venues=[venue])

    document = anonymous.get(path("events", _fields=fields)).json()

    for listed in document.get("events", []):
        if "id" in listed:
            assert listed.pop("id") == event.pk
            listed["id"] = 0
        if listed.get("venue", {}).get("id"):
            listed["venue"] = ...
    assert document == found


@pytest.mark.parametrize(
    "query",
    ["_fields=id,title", "_fields=id&_fields=title", "_fields[]=id&_fields[1]=title"],
)
def test_fields_are_a_list_in_every_syntax(anonymous, editor, query):
    event = EventFactory(title="Yoga")
    cut = {"id": event.pk, "title": "Yoga"}
    listed = query.replace("id", "events.id").replace("=title", "=events.title")
    listed = listed.replace(",title", ",events.title")

    assert anonymous.get(f"/events/{event.pk}?{query}").json() == cut
    assert editor.put(f"/events/{event.pk}?{query}", {}).json() == cut
    assert anonymous.get(f"/events?{listed}").json() == {"events": [cut]}


def test_the_next_page_has_the_same_fields(anonymous):
    EventFactory.create_batch(2)
    query = "per_page=1&_fields[]=next_rest_url&_fields[]=total"

    following = anonymous.get(f"/events?{query}").json()["next_rest_url"]

    assert "_fields=next_rest_url,total" in following


def test_fields_cut_a_single_down(anonymous):
    event = EventFactory(title="Yoga")

    response = anonymous.get(f"/events/{event.pk}?_fields=title,json_ld.name")

    assert response.json() == {"title": "Yoga", "json_ld": {"name": "Yoga"}}


def test_addresses_follow_the_settings_not_the_day_of_writing(anonymous, settings):
    event = EventFactory(image=ImageFactory())
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "PUBLIC_URL": "https://calendar.example",
    }

    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["rest_url"].startswith("https://calendar.example/platform/events/v1/")
    assert document["image"]["url"].startswith("https://calendar.example/media/")
    assert document["global_id"] == f"calendar.example?id={event.pk}"


@pytest.mark.parametrize("text", ["\\u0001", "\x01", "\x02/x", '"status":"publish"', "\\"])
def test_no_title_forges_an_address_or_a_status(editor, text):
    event = EventFactory(title=f"a{text}b", scheduled=True)

    document = editor.get(f"/events/{event.pk}").json()

    assert document["title"] == f"a{text}b"
    assert document["status"] == "future"


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/*"])
def test_an_answer_that_may_not_be_json_is_not_acceptable(anonymous, accept):
    response = anonymous.get("/events", Accept=accept)

    assert response.status_code == 406


def test_errors_are_xml_for_those_who_name_it(anonymous):
    response = anonymous.get("/events/0", Accept="application/xml, application/json;q=0.5")

    assert response.headers["Content-Type"] == "application/xml; charset=utf-8"
    assert b"<code>404</code>" in response.content


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_wrong_method_is_405_with_allow(editor, method):
    response = editor.send(method, "/events", {})

    assert refusal(response) == (405, "rest_method_not_supported")
    assert response.headers["Allow"] == "GET, POST, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "address", ["", "/", "/doc", "/events", "/events/", "/venues", "/tags/", "/events.ics"]
)
def test_head_is_get_without_a_body(anonymous, address):
    EventFactory(terms=[TagFactory()])

    response = anonymous.send("HEAD", address)

    assert response.status_code == 200
    assert b"".join(response) == b""
    if address.strip("/") in {"events", "venues", "tags"}:
        assert "X-TEC-Total" in response.headers


@pytest.mark.parametrize(
    "address", ["", "/doc", "/events", "/events/1", "/tags/1/", "/events.ics"]
)
def test_options_describes_the_route_without_credentials(anonymous, address):
    response = anonymous.send("OPTIONS", address)

    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Vary"] == "Accept, Authorization"
    document = response.json()
    assert document["namespace"] == "platform/events/v1"
    assert "GET" in document["methods"]
    assert document["endpoints"][0]["methods"][0] == "GET"


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 20, "9" * 5000, "0" * 5000])
@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize(
    "address",
    [
        "/events/{0}",
        "/venues/{0}",
        "/organizers/{0}",
        "/categories/{0}",
        "/tags/{0}",
    ],
)
def test_an_identifier_beyond_all_rows_is_404(editor, address, digits, method):
    response = editor.send(method, address.format(digits), {})

    assert response.status_code == 404
    assert response.json()["code"].endswith("-not-found")


def test_zeros_in_front_of_an_identifier_change_nothing(editor):
    event = EventFactory()

    address = f"/events/{event.pk:05000}"

    assert editor.get(address).json()["id"] == event.pk
    assert editor.get(f"{address}.ics").status_code == 200
    assert editor.send("PUT", address, {}).json()["id"] == event.pk


@pytest.mark.parametrize(
    "address", ["/nothing", "/events//1", "//events", "/Events", "/events/1/extra"]
)
def test_an_unknown_address_is_404_in_the_interfaces_own_words(anonymous, address):
    assert refusal(anonymous.get(address)) == (404, "rest_no_route")
