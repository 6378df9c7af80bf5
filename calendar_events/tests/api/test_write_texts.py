"""What becomes of the texts of a write: titles, addresses, and what is not understood."""

import pytest

from calendar_events.models import Event
from calendar_events.tests.bodies import BODIES, NAMES, event
from calendar_events.tests.callers import bad_fields

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("Learn &lt;b&gt;", "Learn <b>"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"),
        ("Vectors x&lt;y and z&gt;w", "Vectors x<y and z>w"),
        ("<i>Learn</i> &amp;lt;b&amp;gt;", "Learn <b>"),
    ],
)
@pytest.mark.parametrize("name", BODIES)
def test_a_name_keeps_the_words_that_were_escaped(editor, name, sent, answered):
    response = editor.post(f"/{name}", {**BODIES[name], NAMES[name]: sent})

    assert response.status_code == 201
    assert response.json()[NAMES[name]] == answered


@pytest.mark.parametrize("name", BODIES)
def test_a_name_that_shows_a_tag_can_be_sent_back(editor, name):
    body = {**BODIES[name], NAMES[name]: "Learn &lt;b&gt;"}
    record = editor.post(f"/{name}", body).json()

    answer = editor.put(f"/{name}/{record['id']}", record)

    assert answer.status_code == 200
    assert answer.json()[NAMES[name]] == "Learn <b>"


def test_a_cost_that_shows_a_tag_is_answered_and_can_be_sent_back(editor):
    record = editor.post("/events", event(cost="Bring a &lt;b&gt; or 5 €")).json()

    answer = editor.put(f"/events/{record['id']}", record).json()

    assert record["cost"] == answer["cost"] == "Bring a <b> or 5 €"


def test_tags_that_were_not_escaped_are_still_removed(editor):
    record = editor.post("/events", event(title="<b>Learn</b> <script>x</script>HTML"))

    assert record.json()["title"] == "Learn HTML"


def test_a_slug_keeps_the_words_that_were_escaped(editor):
    record = editor.post("/events", event(title="Learn &lt;em&gt;")).json()

    assert record["slug"] == "learn-em"


@pytest.mark.parametrize("name", ["events", "venues", "organizers"])
def test_a_website_closes_no_attribute_and_opens_no_tag(editor, name):
    sent = 'http://x.example/"onclick=1<script>?a="b"&c=%22#<d>'

    record = editor.post(f"/{name}", {**BODIES[name], "website": sent}).json()

    assert record["website"] == (
        "http://x.example/%22onclick=1%3Cscript%3E?a=%22b%22&c=%22#%3Cd%3E"
    )


def test_a_website_that_is_escaped_already_stays_as_it_is(editor):
    address = "https://x.example/a%22b?q=%3Cc%3E&d=e'f(g)#h"

    record = editor.post("/events", event(website=address)).json()

    assert record["website"] == address


def test_a_website_that_escapes_make_too_long_is_refused(editor):
    longest = "http://x.example/" + "a" * (2048 - 17)

    assert editor.post("/events", event(website=longest)).status_code == 201
    response = editor.post("/events", event(website=longest[:-1] + '"'))

    assert bad_fields(response) == ["website"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rrule", 7),
        ("recurrence", True),
        ("recurrence", ["FREQ=WEEKLY"]),
        ("rdate", 20310122),
        ("exdate", 20310122),
    ],
)
def test_what_is_no_recurrence_is_refused_by_name(editor, field, value):
    record = editor.post("/events", event()).json()

    for response in (
        editor.post("/events", event(**{field: value})),
        editor.patch(f"/events/{record['id']}", {field: value}),
        editor.put(f"/events/{record['id']}", event(**{field: value})),
    ):
        assert bad_fields(response) == [field]
    assert Event.objects.count() == 1


def test_recurrence_is_named_beside_what_else_is_wrong(editor):
    response = editor.post("/events", event(rrule="FREQ=HOURLY", website="x"))

    assert bad_fields(response) == ["rrule", "website"]


@pytest.mark.parametrize("nothing", [None, "", [], {}, False])
def test_no_recurrence_is_nothing(editor, nothing):
    body = event(recurrence=nothing, rrule=nothing, rdate=nothing, exdate=nothing)

    assert editor.post("/events", body).status_code == 201


def test_other_members_that_nobody_knows_are_ignored(editor):
    assert editor.post("/events", event(repeats="weekly")).status_code == 201
