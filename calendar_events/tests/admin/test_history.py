"""The history in admin, as people read it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from calendar_events.models import Event, Term, Venue
from calendar_events.permissions import Actor
from calendar_events.services.events import update_event
from calendar_events.tests.admin.test_desk import act, desk_of, url
from calendar_events.tests.factories import (
    LONG_AGO,
    CategoryFactory,
    EventFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def change(client, event, **changes):
    actor = Actor(user=client.user, institution="1001")
    update_event(actor=actor, pk=event.pk, changes=changes, now=LONG_AGO)


def differences(client, record):
    """Return what the page says of the last change."""
    page = client.get(url(type(record), "history", record.pk))
    assert "style=" not in page.content.decode().replace("stylesheet", "")
    row = html.fromstring(page.content).xpath("//table//tbody/tr")[0]
    names = [each.text_content().strip() for each in row.xpath(".//dt")]
    values = [" ".join(each.text_content().split()) for each in row.xpath(".//dd")]
    return dict(zip(names, values, strict=True))


def test_a_change_is_told_in_the_words_of_the_form(editor):
    hall, annex = VenueFactory(name="Hall"), VenueFactory(name="Annex")
    record = EventFactory(
        draft=True, slug="", author=editor.user, venues=[hall], timezone="UTC"
    )
    change(
        editor,
        record,
        status="publish",
        featured=True,
        start_date="2031-01-15 19:00:00",
        end_date="2031-01-15 21:00:00",
        cost="12",
        venue=[annex.pk, hall.pk],
    )

    told = differences(editor, record)

    assert told["Status"] == "from Draft to Published"
    assert told["Featured"] == "from no to yes"
    assert told["Starts"].endswith("to 2031-01-15 19:00:00")
    assert told["Cost"] == "from nothing to 12"
    assert told["Venues"] == "from Hall to Annex, Hall"
    assert not told.keys() & {"Start utc", "End utc"}


def test_what_is_linked_no_more_or_not_for_the_reader_is_a_number(editor):
    gone = CategoryFactory(name="Old")
    record = EventFactory(terms=[gone])
    change(editor, record, categories=[])
    pk = gone.pk
    editor.post(url(Term, "delete", pk), {"post": "yes"})
    assert not Term.objects.exists()

    assert differences(editor, record)["Categories and tags"] == (
        f"from number {pk} to nothing"
    )


def test_markup_in_a_text_is_shown_as_text(editor):
    record = EventFactory(description="<p>Old</p>")
    change(editor, record, description='<p><a href="https://x.example">New</a></p>')

    told = differences(editor, record)

    assert "<p>Old</p>" in told["Description"]
    assert "https://x.example" in told["Description"]


def test_the_history_of_a_venue_and_a_term_is_told_too(editor):
    venue = VenueFactory()
    act(editor, "return_to_draft", venue)

    assert differences(editor, venue) == {"Status": "from Published to Draft"}
    assert editor.get(url(Term, "history", CategoryFactory().pk)).status_code == 200
    assert editor.get(url(Venue, "history", venue.pk)).status_code == 200


def test_a_history_costs_the_same_however_long_it_is(editor):
    record = EventFactory(venues=[VenueFactory()])

    def cost():
        with CaptureQueriesContext(connection) as statements:
            assert editor.get(url(Event, "history", record.pk)).status_code == 200
        return len(statements)

    change(editor, record, venue=[VenueFactory().pk])
    cost()  # once: content types are remembered, and the session is written back
    short = cost()
    for _ in range(5):
        change(editor, record, venue=[VenueFactory().pk])

    assert cost() == short


def test_a_long_history_has_pages(editor, monkeypatch):
    from calendar_events.admin.events import EventAdmin  # noqa: PLC0415 -- one use

    monkeypatch.setattr(EventAdmin, "history_list_per_page", 1)
    record = EventFactory()
    for _ in range(20):
        change(editor, record, title="Another")

    page = editor.get(url(Event, "history", record.pk), {"p": "10"}).content.decode()

    assert '<span class="this-page">10</span>' in page
    assert "21 versions" in page
    assert 'href="?p=9"' in page
    assert "…" in page
