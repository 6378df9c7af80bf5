"""What a program reads from a refusal of the calendar: reason, fields, JSON, terms."""

import json

import pytest
from lxml import etree

from calendar_events.tests.bodies import event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MISSING = "rest_missing_callback_param"


def details(response):
    """Return the code of each field, checking that the rest agrees with ``data.params``."""
    data = response.json()["data"]
    for name, found in data["details"].items():
        assert list(found) == ["code", "message", "data"]
        assert found["data"] == {"param": name}
        if isinstance(data["params"], dict):
            assert found["message"] == data["params"][name]
    return {name: found["code"] for name, found in data["details"].items()}


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("page=x", {"page": "rest_invalid_type"}),
        ("page=0&per_page=-1", dict.fromkeys(("page", "per_page"), "rest_out_of_bounds")),
        ("featured=perhaps", {"featured": "rest_invalid_type"}),
        ("search=", {"search": "rest_too_short"}),
        (f"search={'x' * 501}", {"search": "rest_too_long"}),
        ("start_date=2031-02-30", {"start_date": "rest_invalid_date"}),
        ("tz=Mars/Phobos", {"tz": "rest_invalid_timezone"}),
        (
            "geoloc_lat=91&geoloc_lng=x",
            {"geoloc_lat": "rest_out_of_bounds", "geoloc_lng": "rest_invalid_type"},
        ),
        (f"venue={','.join(map(str, range(1, 502)))}", {"venue": "rest_too_many_items"}),
        ("venue=987654321", {"venue": "rest_invalid_param"}),
    ],
)
def test_each_bad_parameter_has_a_code(anonymous, query, codes):
    response = anonymous.get(f"/events?{query}")

    assert response.status_code == 400
    assert response.json()["data"]["reason"] == "parameters_invalid"
    assert details(response) == codes


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ({"title": 1}, {"title": "rest_invalid_type"}),
        ({"title": ""}, {"title": "rest_too_short"}),
        ({"title": "x" * 501}, {"title": "rest_too_long"}),
        ({"all_day": "perhaps"}, {"all_day": "rest_invalid_type"}),
        ({"status": "odd"}, {"status": "rest_not_in_enum"}),
        ({"website": "foo"}, {"website": "rest_invalid_url"}),
        ({"timezone": "Mars/Phobos"}, {"timezone": "rest_invalid_timezone"}),
        ({"start_date": "2031-02-30"}, {"start_date": "rest_invalid_date"}),
        ({"start_date": True}, {"start_date": "rest_invalid_type"}),
        ({"end_date": "2031-01-14"}, {"end_date": "rest_invalid_param"}),
        ({"slug": "!"}, {"slug": "rest_invalid_pattern"}),
        ({"author": "x"}, {"author": "rest_invalid_type"}),
        ({"tags": [987654321]}, {"tags": "rest_invalid_param"}),
    ],
    ids=str,
)
def test_each_bad_field_has_a_code(editor, body, codes):
    assert details(editor.post("/events", event(**body))) == codes


def test_missing_fields_have_a_code_and_bad_ones_theirs(editor):
    response = editor.post("/events", {"website": "foo"})

    assert response.json()["data"]["reason"] == "parameters_missing"
    assert details(response) == {
        "title": MISSING,
        "start_date": MISSING,
        "end_date": MISSING,
        "website": "rest_invalid_url",
    }


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 4),
        (b'{"title": NaN}', 4),
        (b'{"title": "\xff"}', 5),
        (b'{"title": "\\ud800"}', 10),
        (b"[" * 5000, 1),
    ],
)
def test_broken_json_is_numbered_as_callers_of_the_peer_know_it(editor, body, code):
    response = editor.send("POST", "/events", body)

    assert response.json()["code"] == "rest_invalid_json"
    data = response.json()["data"]
    assert (data["reason"], data["json_error_code"]) == ("json_malformed", code)
    assert data["json_error_message"]


def test_json_that_is_no_object_has_no_error_of_json(editor):
    data = editor.post("/events", ["title"]).json()["data"]

    assert data["reason"] == "json_malformed"
    assert "json_error_code" not in data


def test_a_taken_term_name_names_the_term_as_the_peer_does(editor):
    first = editor.post("/tags", {"name": "Yoga"}).json()["id"]

    members = editor.post("/tags", {"name": "Yoga"}).json()

    assert list(members) == ["code", "message", "data", "additional_data"]
    assert members["additional_data"] == [first, first]
    assert members["data"] == {
        "status": 400,
        "reason": "term_exists",
        "term_id": first,
        "detail": f"name: belongs to term {first}.",
    }


def test_every_refusal_of_the_calendar_says_its_reason(anonymous, editor):
    made = editor.post("/events", event()).json()["id"]
    draft = editor.post("/events", event(status="draft")).json()["id"]
    editor.delete(f"/events/{made}")

    refused = {
        "record_not_found": anonymous.get("/events/987654321"),
        "record_not_accessible": anonymous.get(f"/events/{draft}"),
        "event_no_longer_available": anonymous.get(f"/events/{made}"),
        "record_in_trash": editor.delete(f"/events/{made}"),
        "page_not_found": anonymous.get("/events?page=99"),
        "resource_not_found": anonymous.get("/nowhere"),
        "authorization_header_missing": anonymous.post("/events", event()),
        "conflict": editor.put(f"/events/{draft}", {"modified_utc": "2001-01-01 00:00:00"}),
        "precondition_failed": editor.put(f"/events/{draft}", {}, If_Match='"other"'),
        "media_type_unsupported": editor.post("/events", b"x", Content_Type="text/plain"),
        "method_not_supported": editor.send("PATCH", "/events"),
        "not_acceptable": anonymous.get("/events", Accept="image/png"),
    }

    for reason, response in refused.items():
        assert response["x-svc-Reason"] == response.json()["data"]["reason"] == reason


def test_the_xml_of_a_refusal_stays_as_the_specification_has_it(anonymous):
    response = anonymous.get("/events/987654321", Accept="application/xml")

    root = etree.fromstring(response.content)
    assert [etree.QName(child).localname for child in root] == ["code", "message", "detail"]
    assert response["x-svc-Reason"] == "record_not_found"


def test_a_sentence_that_a_caller_wrote_is_cut_and_printable_in_the_details(editor):
    response = editor.post("/events", event(status="\ud7ff" * 300))

    assert len(json.dumps(details(response))) < 2000


def test_the_description_of_the_interface_names_what_programs_read(anonymous):
    components = anonymous.get("/doc").json()["components"]["schemas"]
    data = components["EventsErrorData"]

    assert {"status", "reason", "details", "canonical_request", "string_to_sign"} <= set(
        data["properties"]
    )
    assert sorted(data["required"]) == ["reason", "status"]
