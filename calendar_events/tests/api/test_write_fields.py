"""Every field of spec 2.3 to spec 2.6, on create and on update, as JSON and as a form."""

import pytest

from calendar_events.tests.bodies import BODIES, NAMES, event
from calendar_events.tests.callers import bad_fields, refusal

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVENT_FIELDS = {
    "title": ("Picnic", "Picnic"),
    "start_date": ("2031-01-15 18:00:00", "2031-01-15 18:00:00"),
    "end_date": ("2031-01-15 22:00:00", "2031-01-15 22:00:00"),
    "date": ("2020-05-05 09:00:00", "2020-05-05 09:00:00"),
    "date_utc": ("2020-05-05 09:00:00", "2020-05-05 09:00:00"),
    "description": ("Bring food.", "<p>Bring food.</p>"),
    "slug": ("The Picnic", "the-picnic"),
    "excerpt": ("Food!", "<p>Food!</p>"),
    "status": ("private", "private"),
    "timezone": ("europe/berlin", "Europe/Berlin"),
    "all_day": ("true", True),
    "cost": ("25", "$25"),
    "website": ("https://picnic.example/?a=1&b=2", "https://picnic.example/?a=1&b=2"),
    "show_map": ("false", False),
    "show_map_link": ("0", False),
    "hide_from_listings": ("1", True),
    "sticky": ("true", True),
    "featured": ("TRUE", True),
    "ticketed": ("true", True),
}
VENUE_FIELDS = {
    "venue": ("Old Hall", "Old Hall"),
    "date": ("2020-05-05 09:00:00", "2020-05-05 09:00:00"),
    "date_utc": ("2020-05-05 09:00:00", "2020-05-05 09:00:00"),
    "description": ("Old.", "<p>Old.</p>"),
    "slug": ("old", "old"),
    "status": ("draft", "draft"),
    "show_map": ("false", False),
    "show_map_link": ("false", False),
    "address": ("1 Main Street", "1 Main Street"),
    "city": ("Dublin", "Dublin"),
    "country": ("United States", "United States"),
    "province": ("Ohio", "Ohio"),
    "state": ("OH", "OH"),
    "zip": ("43017", "43017"),
    "phone": ("+1 614", "+1 614"),
    "stateprovince": ("Ohio", "Ohio"),
    "website": ("http://hall.example", "http://hall.example"),
}
ORGANIZER_FIELDS = {
    "organizer": ("New Club", "New Club"),
    "date": ("2020-05-05 09:00:00", "2020-05-05 09:00:00"),
    "date_utc": ("2020-05-05 09:00:00", "2020-05-05 09:00:00"),
    "description": ("New.", "<p>New.</p>"),
    "slug": ("new", "new"),
    "status": ("pending", "pending"),
    "phone": ("+1 614", "+1 614"),
    "website": ("http://club.example", "http://club.example"),
    "email": ("club@club.example", "club@club.example"),
}
TERM_FIELDS = {
    "name": ("Concerts", "Concerts"),
    "description": ("Loud <b>music</b>", "Loud <b>music</b>"),
    "slug": ("loud", "loud"),
}
EVERY_FIELD = [
    pytest.param(collection, name, given, answered, id=f"{collection}-{name}")
    for collection, table in (
        ("events", EVENT_FIELDS),
        ("venues", VENUE_FIELDS),
        ("organizers", ORGANIZER_FIELDS),
        ("categories", TERM_FIELDS),
        ("tags", TERM_FIELDS),
    )
    for name, (given, answered) in table.items()
]


@pytest.mark.parametrize(("collection", "name", "given", "answered"), EVERY_FIELD)
def test_a_field_is_taken_on_create(editor, collection, name, given, answered):
    response = editor.post(f"/{collection}", {**BODIES[collection], name: given})

    assert (response.status_code, response.json()[name]) == (201, answered)


@pytest.mark.parametrize(("collection", "name", "given", "answered"), EVERY_FIELD)
def test_a_field_is_taken_on_update(editor, collection, name, given, answered):
    record = editor.post(f"/{collection}", BODIES[collection]).json()

    response = editor.put(f"/{collection}/{record['id']}", {name: given})

    assert (response.status_code, response.json()[name]) == (200, answered)


@pytest.mark.parametrize(("collection", "name", "given", "answered"), EVERY_FIELD)
def test_a_field_is_taken_from_a_form(editor, collection, name, given, answered):
    body = {**BODIES[collection], name: given}

    response = editor.form("POST", f"/{collection}", body)

    assert (response.status_code, response.json()[name]) == (201, answered)


@pytest.mark.parametrize("collection", BODIES)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_an_update_changes_only_what_is_sent(editor, collection, method):
    """Mends "updates reset fields that were not sent"."""
    tables = {
        "events": EVENT_FIELDS,
        "venues": VENUE_FIELDS,
        "organizers": ORGANIZER_FIELDS,
    }
    given = {name: pair[0] for name, pair in tables.get(collection, TERM_FIELDS).items()}
    before = editor.post(f"/{collection}", given).json()
    name = NAMES[collection]

    after = editor.send(method, f"/{collection}/{before['id']}", {name: "Renamed"}).json()

    moments = {"modified", "modified_utc"}
    assert after[name] == "Renamed"
    assert {key: after[key] for key in after.keys() - {name, *moments}} == {
        key: before[key] for key in before.keys() - {name, *moments}
    }


@pytest.mark.parametrize("collection", BODIES)
def test_an_update_with_an_empty_body_changes_nothing(editor, collection):
    before = editor.post(f"/{collection}", BODIES[collection]).json()

    after = editor.put(f"/{collection}/{before['id']}", {}).json()

    moments = {"modified", "modified_utc"}
    assert {name: after[name] for name in after.keys() - moments} == {
        name: before[name] for name in before.keys() - moments
    }


@pytest.mark.parametrize("collection", ["events", "venues", "organizers"])
def test_an_update_by_slug_is_the_update_by_id(editor, collection):
    record = editor.post(f"/{collection}", BODIES[collection]).json()
    name = NAMES[collection]

    response = editor.put(f"/{collection}/by-slug/{record['slug']}", {name: "Renamed"})

    assert (response.json()["id"], response.json()[name]) == (record["id"], "Renamed")


def test_a_slug_in_the_body_renames_by_slug(editor):
    """Mends "by-slug rename impossible"."""
    record = editor.post("/events", event(slug="before")).json()

    response = editor.put("/events/by-slug/before", {"slug": "after"})

    assert (response.json()["id"], response.json()["slug"]) == (record["id"], "after")


def test_a_slug_of_another_script_is_found_as_it_is_written(editor):
    record = editor.post("/events", event(title="Праздник")).json()

    response = editor.put("/events/by-slug/праздник", {"featured": True})

    assert (response.status_code, response.json()["id"]) == (200, record["id"])


@pytest.mark.parametrize("collection", BODIES)
def test_the_own_answer_of_a_record_is_a_valid_body(editor, collection):
    body = dict(BODIES[collection])
    if collection == "events":
        body |= {
            "categories": ["Music"],
            "tags": ["outdoor", "free"],
            "venue": {"venue": "Hall", "city": "Rome"},
            "organizer": [{"organizer": "Club"}, {"organizer": "Other"}],
            "cost": ["0$", "20$", "30$"],
            "description": "One.\n\nTwo & <b>three</b>",
        }
    created = editor.post(f"/{collection}", body)
    before = editor.get(f"/{collection}/{created.json()['id']}").json()

    after = editor.put(f"/{collection}/{before['id']}", before)

    assert after.status_code == 200, after.content
    moments = ("modified", "modified_utc", "json_ld")
    changed = {
        name: (text, before.get(name))
        for name, text in after.json().items()
        if name not in {*moments, "venue", "organizer"} and before.get(name) != text
    }
    assert changed == {}


@pytest.mark.parametrize(
    ("collection", "name"),
    [
        ("events", "title"),
        ("events", "start_date"),
        ("events", "end_date"),
        ("events", "author"),
        ("venues", "venue"),
        ("venues", "author"),
        ("organizers", "organizer"),
        ("organizers", "author"),
        ("categories", "name"),
        ("tags", "name"),
    ],
)
@pytest.mark.parametrize("nothing", ["", None, "  ", 0])
def test_what_cannot_be_empty_is_refused_empty(editor, collection, name, nothing):
    record = editor.post(f"/{collection}", BODIES[collection]).json()
    url = f"/{collection}/{record['id']}"

    assert bad_fields(editor.put(url, {name: nothing})) == [name]
    assert bad_fields(
        editor.post(f"/{collection}", {**BODIES[collection], name: nothing})
    ) == [name]


@pytest.mark.parametrize("nothing", ["", None])
@pytest.mark.parametrize(
    ("name", "given", "cleared"),
    [
        ("description", "text", ""),
        ("excerpt", "text", ""),
        ("website", "http://a.example", ""),
        ("cost", "12", ""),
        ("timezone", "Europe/Berlin", "UTC"),
        ("all_day", True, False),
        ("show_map", False, True),
        ("show_map_link", False, True),
        ("featured", True, False),
        ("ticketed", True, False),
    ],
)
def test_an_empty_value_clears_on_update_and_is_absent_on_create(
    editor, nothing, name, given, cleared
):
    record = editor.post("/events", event(**{name: given})).json()

    updated = editor.put(f"/events/{record['id']}", {name: nothing}).json()
    created = editor.post("/events", event(**{name: nothing})).json()

    assert (updated[name], created[name]) == (cleared, cleared)


def test_an_empty_status_leaves_the_status_as_it_is(editor):
    record = editor.post("/events", event(status="draft")).json()

    assert editor.put(f"/events/{record['id']}", {"status": ""}).json()["status"] == "draft"


def test_an_empty_slug_is_made_again_from_the_title(editor):
    record = editor.post("/events", event(slug="odd")).json()

    response = editor.put(f"/events/{record['id']}", {"title": "Even", "slug": ""})

    assert response.json()["slug"] == "even"


@pytest.mark.parametrize(
    ("collection", "name", "value"),
    [
        ("events", "title", 5),
        ("events", "title", ["a"]),
        ("events", "title", {"rendered": "a"}),
        ("events", "title", "<b></b>"),
        ("events", "title", "a" * 501),
        ("events", "title", "a" * 100_000),
        ("events", "description", 5),
        ("events", "description", "x" * 400_001),
        ("events", "start_date", "no date"),
        ("events", "start_date", "2031-02-30"),
        ("events", "start_date", 12),
        ("events", "start_date", True),
        ("events", "start_date", ["2031-01-15"]),
        ("events", "start_date", 10**30),
        ("events", "end_date", "2031-01-15 18:00:00"),
        ("events", "date", "foo"),
        ("events", "date_utc", "0001-01-01 00:00:00+14:00"),
        ("events", "timezone", "Mars/Olympus"),
        ("events", "timezone", 2),
        ("events", "timezone", "x" * 5000),
        ("events", "status", "kinda"),
        ("events", "status", "auto-draft"),
        ("events", "status", 1),
        ("events", "status", ["draft"]),
        ("events", "all_day", "yes"),
        ("events", "all_day", 2),
        ("events", "all_day", []),
        ("events", "featured", 1.0),
        ("events", "cost", {"amount": 5}),
        ("events", "cost", True),
        ("events", "cost", "9" * 300),
        ("events", "website", "foo"),
        ("events", "website", "javascript:alert(1)"),
        ("events", "website", "ftp://files.example"),
        ("events", "website", "http://" + "a" * 3000 + ".example"),
        ("events", "website", ["http://a.example"]),
        ("events", "website", "http://[::1"),
        ("events", "slug", "!!!"),
        ("events", "slug", 5),
        ("events", "author", "foo"),
        ("events", "author", 987654321),
        ("events", "author", 10**40),
        ("events", "author", -1),
        ("events", "author", 1.5),
        ("events", "author", True),
        ("events", "image", "foo bar"),
        ("events", "image", "987654321"),
        ("events", "image", 10**40),
        ("events", "image", {"url": "http://a.example"}),
        ("events", "image", [1]),
        ("events", "image", True),
        ("venues", "geo_lat", 91),
        ("venues", "geo_lat", "north"),
        ("venues", "geo_lat", "nan"),
        ("venues", "geo_lng", "inf"),
        ("venues", "website", "foo"),
        ("organizers", "email", "nobody"),
        ("organizers", "email", 5),
        ("organizers", "email", "a" * 300 + "@club.example"),
        ("categories", "parent", "foo"),
        ("categories", "parent", 987654321),
        ("categories", "parent", 10**40),
        ("categories", "parent", [1]),
        ("categories", "slug", "!!!"),
        ("tags", "name", {"a": 1}),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_a_reason(
    editor, collection, name, value
):
    response = editor.post(f"/{collection}", {**BODIES[collection], name: value})

    named = {"geo_lat", "geo_lng"} if name.startswith("geo_") else {name}
    assert set(bad_fields(response)) <= named
    assert name in bad_fields(response)
    reason = response.json()["data"]["params"][name]
    assert reason.endswith(".")


def test_every_bad_field_is_named_at_once(editor):
    response = editor.post(
        "/events",
        event(
            end_date="2031-01-14", website="foo", status="odd", tags=[987654321], author="x"
        ),
    )

    assert refusal(response) == (400, "rest_invalid_param")
    assert bad_fields(response) == ["author", "end_date", "status", "tags", "website"]


def test_what_is_missing_is_named_together_with_what_is_wrong(editor):
    response = editor.post("/events", {"website": "foo"})

    assert refusal(response) == (400, "rest_missing_callback_param")
    assert bad_fields(response) == ["end_date", "start_date", "title"]
    assert sorted(response.json()["data"]["details"]) == [
        *("end_date", "start_date", "title", "website")
    ]


@pytest.mark.parametrize("collection", BODIES)
def test_a_body_id_that_differs_from_the_path_is_refused(editor, collection):
    """Mends "body id overrides the path"."""
    record = editor.post(f"/{collection}", BODIES[collection]).json()
    url = f"/{collection}/{record['id']}"

    assert bad_fields(editor.put(url, {"id": record["id"] + 1})) == ["id"]
    assert editor.put(url, {"id": str(record["id"])}).status_code == 200


@pytest.mark.parametrize("collection", BODIES)
def test_a_body_id_on_create_is_ignored(editor, collection):
    response = editor.post(f"/{collection}", {**BODIES[collection], "id": 987654})

    assert (response.status_code, response.json()["id"] == 987654) == (201, False)


def test_fields_in_the_query_string_are_not_written(editor):
    record = editor.post("/events", event()).json()

    response = editor.put(f"/events/{record['id']}?title=Other&id=9", {})

    assert response.json()["title"] == "Evening"


@pytest.mark.parametrize("body", ["{", "[]", "nonsense", '{"title": NaN}'])
def test_a_body_that_is_no_json_object_is_refused(editor, body):
    assert refusal(editor.post("/events", body)) == (400, "rest_invalid_json")


def test_a_body_of_another_media_type_is_refused(editor):
    response = editor.post("/events", "title=x", Content_Type="text/plain")

    assert refusal(response) == (415, "rest_unsupported_media_type")


def test_a_body_that_is_too_large_is_refused(editor, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    response = editor.post("/events", event(description="x" * 2000))

    assert refusal(response) == (413, "rest_content_too_large")


@pytest.mark.parametrize("collection", BODIES)
def test_created_says_where(editor, collection):
    """Mends "Location missing or wrong"."""
    response = editor.post(f"/{collection}", BODIES[collection])

    assert response["Location"] == (
        f"http://testserver/platform/events/v1/{collection}/{response.json()['id']}"
    )


def test_titles_are_plain_text(editor):
    """Mends "titles are HTML-escaped twice" and "500 for odd titles"."""
    record = editor.post(
        "/events", event(title="<b>Fish</b> & chips: a < b <script>x</script>")
    )

    assert record.json()["title"] == "Fish & chips: a < b"


def test_no_stored_script_can_run(editor):
    record = editor.post(
        "/events",
        event(
            description='<p onclick="x()">Hi<script>alert(1)</script></p>',
            excerpt='<a href="javascript:x()">a</a><svg onload=x()>',
        ),
    ).json()

    assert record["description"] == "<p>Hi</p>"
    assert "javascript" not in record["excerpt"]
    assert "onload" not in record["excerpt"]


def test_characters_that_cannot_be_stored_are_dropped(editor):
    record = editor.post("/events", event(title="a\x00b\x07c", description="d\x00\x1be"))

    assert record.status_code == 201
    assert (record.json()["title"], record.json()["description"]) == ("abc", "<p>de</p>")


def test_a_list_of_costs_is_a_range(editor):
    record = editor.post("/events", event(cost=["0$", "20$", "30$"])).json()

    again = editor.put(f"/events/{record['id']}", {"cost": record["cost"]}).json()

    assert again["cost"] == "Free \N{EN DASH} 30$"
    assert again["cost_details"]["values"] == ["0", "20", "30"]


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        ({"state": "OH"}, "OH"),
        ({"province": "Ontario"}, "Ontario"),
        ({"state": "OH", "province": "Ontario"}, "OH"),
        ({"state": "OH", "stateprovince": "Ohio"}, "Ohio"),
    ],
)
def test_stateprovince_follows_state_and_province_unless_given(editor, given, answered):
    record = editor.post("/venues", {"venue": "Hall", **given}).json()

    assert record["stateprovince"] == answered


def test_stateprovince_keeps_following_until_it_is_given(editor):
    record = editor.post("/venues", {"venue": "Hall", "state": "OH"}).json()
    url = f"/venues/{record['id']}"

    assert editor.put(url, {"state": "NY"}).json()["stateprovince"] == "NY"
    assert (
        editor.put(url, {"stateprovince": "New York"}).json()["stateprovince"] == "New York"
    )
    assert editor.put(url, {"state": "CA"}).json()["stateprovince"] == "New York"
    assert editor.put(url, {"stateprovince": ""}).json()["stateprovince"] == "CA"


def test_show_map_of_a_venue_is_true_unless_it_is_said(editor):
    """Mends "show_map, show_map_link default false"."""
    record = editor.post("/venues", {"venue": "Hall", "show_map_link": "false"}).json()

    assert (record["show_map"], record["show_map_link"]) == (True, False)


def test_coordinates_come_in_pairs(editor):
    lone = editor.post("/venues", {"venue": "Hall", "geo_lat": 40})
    both = editor.post("/venues", {"venue": "Hall", "geo_lat": "40.5", "geo_lng": -83})
    url = f"/venues/{both.json()['id']}"

    assert bad_fields(lone) == ["geo_lng"]
    assert (both.json()["geo_lat"], both.json()["geo_lng"]) == (40.5, -83.0)
    assert editor.put(url, {"geo_lat": 41}).json()["geo_lat"] == 41.0
    assert bad_fields(editor.put(url, {"geo_lat": ""})) == ["geo_lat"]
    assert "geo_lat" not in editor.put(url, {"geo_lat": "", "geo_lng": None}).json()


def test_a_date_that_was_edited_in_the_own_answer_counts(editor):
    record = editor.post("/events", event(date="2020-05-05 09:00:00")).json()

    edited = {**record, "date": "2021-06-06 10:00:00"}
    response = editor.put(f"/events/{record['id']}", edited)

    assert response.json()["date_utc"] == "2021-06-06 10:00:00"


def test_two_publication_dates_that_disagree_are_refused(editor):
    response = editor.post(
        "/events", event(date="2020-05-05 09:00:00", date_utc="2021-05-05 09:00:00")
    )

    assert bad_fields(response) == ["date_utc"]


def test_tz_is_the_zone_in_which_naive_dates_are_read(editor):
    body = event(timezone="Europe/Berlin", date="2020-05-05 09:00:00")

    record = editor.post("/events?tz=America/New_York", body).json()

    assert record["start_date"] == "2031-01-16 01:00:00"
    assert record["utc_start_date"] == "2031-01-16 00:00:00"
    assert record["date_utc"] == "2020-05-05 13:00:00"


def test_tz_moves_no_whole_day_and_no_date_with_an_offset(editor):
    whole = event(start_date="2031-01-15", end_date="2031-01-15", all_day=True)
    exact = event(start_date="2031-01-15T19:00:00Z", end_date="2031-01-15T21:00:00Z")

    for body in (whole, exact):
        record = editor.post("/events?tz=Asia/Tokyo", body).json()
        assert record["start_date"][:10] == "2031-01-15"


def test_tz_must_be_a_zone(editor):
    assert bad_fields(editor.post("/events?tz=Mars", event())) == ["tz"]


def test_nothing_is_half_written(editor):
    """A venue that an event brings with it is not left behind when the event is refused."""
    response = editor.post("/events", event(venue={"venue": "New"}, cost={"bad": 1}))

    assert bad_fields(response) == ["cost"]
    assert editor.get("/venues").json()["venues"] == []


@pytest.mark.django_db
def test_an_empty_slug_of_a_term_is_made_again_from_its_name(editor):
    term = editor.post("/tags", {"name": "Open air", "slug": "odd"}).json()

    response = editor.put(f"/tags/{term['id']}", {"name": "Indoor", "slug": ""})

    assert response.json()["slug"] == "indoor"
