"""The preview in admin: what readers, programs and calendars will get."""

import json
from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.models import Event
from calendar_events.models.guard import store_writes
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

HOSTILE = (
    '<p onclick="x()">Words</p><script>x()</script><svg><a href="javascript:x()">y</a>'
    '</svg><a href="javascript:x()">go</a><img src="x" onerror="x()">'
    '<p style="color:red">z</p>'
)


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def test_an_event_is_shown_in_every_form(editor, anonymous):
    record = EventFactory(
        title="Reading",
        description="<p>About <b>books</b></p>",
        venues=[VenueFactory(name="Hall", slug="the-hall")],
        organizers=[OrganizerFactory(name="Club", slug="the-club")],
        terms=[CategoryFactory(name="Letters")],
        image=ImageFactory(alternative_text="A shelf"),
    )

    page = editor.get(url(Event, "preview", record.pk))

    text = page.content.decode()
    assert "<p>About <b>books</b></p>" in text
    assert 'alt="A shelf"' in text
    answer = anonymous.get(f"/events/{record.pk}").json()
    assert json.loads(page.context["document"]) == answer
    feed = page.context["calendar"]
    assert feed.startswith("BEGIN:VCALENDAR")
    assert "SUMMARY:Reading\r\n" in feed
    assert "LOCATION:Hall" in feed


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (lambda: VenueFactory(complete=True), "1 Main Street, 43017, Dublin"),
        (lambda: OrganizerFactory(complete=True), "club@club.example"),
    ],
    ids=["venue", "organizer"],
)
def test_a_venue_and_an_organizer_are_shown(editor, record, words):
    record = record()

    page = editor.get(url(type(record), "preview", record.pk))

    assert words in page.content.decode()
    assert json.loads(page.context["document"])["id"] == record.pk
    assert not page.context["calendar"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"all_day": True}, "2031-01-15, all day"),
        ({}, "2031-01-15 19:00 to 21:00, UTC"),
    ],
)
def test_when_an_event_is_is_said(editor, fields, words):
    start, end = datetime(2031, 1, 15, 19), datetime(2031, 1, 15, 21)  # noqa: DTZ001
    record = EventFactory(start=start, end=end, **fields)

    assert words in editor.get(url(Event, "preview", record.pk)).content.decode()


def test_a_draft_is_shown_without_what_others_would_not_see(editor):
    secret = VenueFactory(name="Secret place", draft=True)
    record = EventFactory(draft=True, slug="", venues=[secret])

    page = editor.get(url(Event, "preview", record.pk))

    assert json.loads(page.context["document"])["status"] == "draft"
    assert "Secret place" not in page.context["document"] + page.context["calendar"]
    assert "“Draft”" in page.content.decode()


def test_a_description_is_sanitised_whatever_is_stored(editor):
    record = EventFactory(title="<script>t()</script>")
    with store_writes():
        Event.objects.filter(pk=record.pk).update(description=HOSTILE)

    page = editor.get(url(Event, "preview", record.pk)).content.decode()

    shown = page[page.index("<article") : page.index("</article>")]
    assert "<p>Words</p>" in shown
    for refused in ("<script", "javascript:", "onerror", "onclick", "<svg", "style="):
        assert refused not in shown


def test_a_contributor_previews_their_own_draft_and_no_others(editor):
    contributor = desk_of(roles=["contributor"])
    own = EventFactory(draft=True, slug="", author=contributor.user)

    page = contributor.get(url(Event, "change", own.pk)).content.decode()

    assert url(Event, "preview", own.pk) in page
    assert contributor.get(url(Event, "preview", own.pk)).status_code == 200
    assert desk_of().get(url(Event, "preview", own.pk)).status_code == 403


def test_a_preview_costs_the_same_however_much_is_linked(editor):
    def cost(count):
        record = EventFactory(
            venues=VenueFactory.create_batch(count),
            organizers=OrganizerFactory.create_batch(count),
            terms=CategoryFactory.create_batch(count),
        )
        with CaptureQueriesContext(connection) as statements:
            editor.get(url(Event, "preview", record.pk))
        return len(statements)

    cost(1)  # once: content types are remembered, and the session is written back
    assert cost(1) == cost(4)
