"""Entity tags, ``Last-Modified`` and 304 (decisions 6)."""

from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone
from django.utils.http import http_date

from calendar_events.tests.callers import refusal
from calendar_events.tests.factories import (
    LONG_AGO,
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def rename(record, name="Renamed"):
    """Change a record as any writer does."""
    setattr(record, "title" if hasattr(record, "title") else "name", name)
    record.save(now=timezone.now())


@pytest.fixture
def event(db):
    return EventFactory(
        venues=[VenueFactory()], organizers=[OrganizerFactory()], terms=[TagFactory()]
    )


def addresses(event):
    """Return a GET of every kind."""
    return [
        *("", "/doc", "/events", "/venues", "/organizers", "/tags", "/categories"),
        *(f"/events/{event.pk}", f"/events/by-slug/{event.slug}"),
        *(f"/venues/{event.venues.get().pk}", f"/organizers/{event.organizers.get().pk}"),
        *(f"/tags/{event.terms.get().pk}", "/events.ics", f"/events/{event.pk}.ics"),
    ]


def test_every_get_is_304_as_long_as_nothing_changed(anonymous, event):
    for address in addresses(event):
        first = anonymous.get(address)
        tag = first.headers["ETag"]

        again = anonymous.get(address, If_None_Match=f'"other", W/{tag}')

        assert again.status_code == 304, address
        assert b"".join(again) == b""
        assert again.headers["ETag"] == tag
        assert again.headers["Cache-Control"] == "public, no-cache"
        assert "Content-Type" not in again.headers


@pytest.mark.parametrize("address", ["/events", "/events?per_page=1", "/venues", "/tags"])
def test_a_list_changes_its_tag_with_any_write(anonymous, event, address):
    before = anonymous.get(address).headers["ETag"]

    rename(event.venues.get())

    assert anonymous.get(address, If_None_Match=before).status_code == 200


def test_a_list_changes_its_tag_when_time_publishes_something(anonymous, event):
    scheduled = EventFactory(scheduled=True)
    before = anonymous.get("/events?start_date=2020-01-01&end_date=2099").headers["ETag"]

    with time_machine.travel(scheduled.published_at + timedelta(seconds=1)):
        after = anonymous.get(
            "/events?start_date=2020-01-01&end_date=2099", If_None_Match=before
        )

    assert after.status_code == 200


def test_another_query_has_another_tag(anonymous, event):
    queries = ["", "?page=1&per_page=2", "?_fields=total", "?order=desc", "?password=x"]

    tags = {anonymous.get(f"/events{query}").headers["ETag"] for query in queries}

    assert len(tags) == len(queries)


@pytest.mark.parametrize(
    "address", ["/events", "/venues", "/organizers", "/events.ics", "/events?per_page=1"]
)
def test_a_list_has_another_tag_for_everybody_who_sees_another_list(
    anonymous, editor, contributor, stranger, event, address
):
    viewers = [anonymous, editor, contributor, stranger]

    tags = [viewer.get(address).headers["ETag"] for viewer in viewers]

    assert len(set(tags)) == len(viewers)
    for viewer, own in zip(viewers, tags, strict=True):
        for tag in tags:
            answer = viewer.get(address, If_None_Match=tag)
            assert answer.status_code == (304 if tag == own else 200)


@pytest.mark.parametrize("kind", ["venues", "organizers", "terms"])
def test_an_event_changes_its_tag_with_what_it_embeds(anonymous, event, kind):
    address = f"/events/{event.pk}"
    before = anonymous.get(address)

    rename(getattr(event, kind).get())
    after = anonymous.get(
        address,
        If_None_Match=before.headers["ETag"],
        If_Modified_Since=before.headers["Last-Modified"],
    )

    assert after.status_code == 200
    assert b"Renamed" in after.content


def test_trashing_a_venue_changes_the_event_also_for_if_modified_since(anonymous, event):
    address = f"/events/{event.pk}"
    before = anonymous.get(address).headers["Last-Modified"]
    venue = event.venues.get()
    venue.status, venue.slug = "trash", f"{venue.slug}__trashed"

    venue.save(now=timezone.now())
    after = anonymous.get(address, If_Modified_Since=before)

    assert after.status_code == 200
    assert after.json()["venue"] == []


@pytest.mark.parametrize("kind", ["venues", "organizers"])
@pytest.mark.parametrize("form", ["", ".ics"])
def test_what_time_publishes_inside_an_event_is_news_since_it_was_hidden(
    anonymous, kind, form
):
    factory = {"venues": VenueFactory, "organizers": OrganizerFactory}[kind]
    scheduled = factory(scheduled=True, complete=True, name="The new one")
    address = f"/events/{EventFactory(**{kind: [scheduled]}).pk}{form}"
    hidden = anonymous.get(address)
    assert b"The new one" not in hidden.content

    with time_machine.travel(scheduled.published_at + timedelta(hours=1)):
        shown = anonymous.get(address, If_Modified_Since=hidden.headers["Last-Modified"])
        again = anonymous.get(address, If_Modified_Since=shown.headers["Last-Modified"])

    assert shown.status_code == 200
    assert b"The new one" in shown.content
    assert shown.headers["Last-Modified"] == http_date(scheduled.published_at.timestamp())
    assert shown.headers["ETag"] != hidden.headers["ETag"]
    assert again.status_code == 304


def test_a_draft_with_a_date_to_come_is_no_news_when_the_date_has_come(anonymous):
    soon = timezone.now() + timedelta(days=7)
    draft = VenueFactory(status="draft", published_at=soon)
    address = f"/events/{EventFactory(venues=[draft]).pk}"
    before = anonymous.get(address).headers

    with time_machine.travel(soon + timedelta(hours=1)):
        after = anonymous.get(address, If_Modified_Since=before["Last-Modified"])

    assert after.status_code == 304
    assert after.headers["ETag"] == before["ETag"]


@pytest.mark.parametrize(
    ("factory", "collection"),
    [(EventFactory, "events"), (VenueFactory, "venues"), (OrganizerFactory, "organizers")],
)
def test_what_time_publishes_is_news_to_an_editor_who_saw_it_scheduled(
    editor, factory, collection
):
    record = factory(published_at=timezone.now() + timedelta(minutes=5))
    address = f"/{collection}/{record.pk}"
    scheduled = editor.get(address)

    with time_machine.travel(record.published_at + timedelta(minutes=1)):
        published = editor.get(
            address, If_Modified_Since=scheduled.headers["Last-Modified"]
        )

    assert published.status_code == 200
    assert (scheduled.json()["status"], published.json()["status"]) == (
        "future",
        "publish",
    )
    assert published.headers["Last-Modified"] == http_date(record.published_at.timestamp())


def test_if_modified_since_is_held_against_the_record(anonymous, event):
    for address in (f"/events/{event.pk}", f"/venues/{event.venues.get().pk}"):
        first = anonymous.get(address)

        assert first.headers["Last-Modified"] == "Wed, 01 Jan 2020 12:00:00 GMT"
        same = anonymous.get(address, If_Modified_Since=first.headers["Last-Modified"])
        assert same.status_code == 304
        earlier = anonymous.get(address, If_Modified_Since="Wed, 01 Jan 2020 11:59:59 GMT")
        assert earlier.status_code == 200
        nonsense = anonymous.get(address, If_Modified_Since="yesterday")
        assert nonsense.status_code == 200
        other_tag = anonymous.get(
            address,
            If_None_Match='"other"',
            If_Modified_Since=first.headers["Last-Modified"],
        )
        assert other_tag.status_code == 200


def test_a_read_with_a_failed_precondition_is_412(anonymous, event):
    address = f"/events/{event.pk}"
    tag = anonymous.get(address).headers["ETag"]

    assert anonymous.get(address, If_Match=tag).status_code == 200
    assert anonymous.get(address, If_Match="*").status_code == 200
    failed = anonymous.get(address, If_Match='"other"')
    assert refusal(failed) == (412, "rest_precondition_failed")
    weak = anonymous.get(address, If_Match=f"W/{tag}")
    assert weak.status_code == 412
    stale = anonymous.get(address, If_Unmodified_Since="Tue, 01 Jan 2019 00:00:00 GMT")
    assert stale.status_code == 412


def test_a_list_has_no_modification_date(anonymous, event):
    assert "Last-Modified" not in anonymous.get("/events").headers


@pytest.mark.parametrize(
    "address", ["/events", "/venues", "/tags", "/events.ics", "/doc", ""]
)
def test_if_match_holds_for_lists_and_documents_too(anonymous, event, address):
    tag = anonymous.get(address).headers["ETag"]

    def answer(if_match):
        return anonymous.get(address, If_Match=if_match)

    assert [answer(known).status_code for known in (tag, f'"x", {tag}', "*")] == [200] * 3
    for other in ('"another"', f"W/{tag}", "not a tag"):
        assert refusal(answer(other)) == (412, "rest_precondition_failed")


@pytest.mark.parametrize("address", ["/events", "/tags", "/doc"])
def test_what_has_no_date_is_compared_with_none(anonymous, event, address):
    """RFC 9110 13.1.3 and 13.1.4."""
    for header in ("If_Unmodified_Since", "If_Modified_Since"):
        for seconds in (0, 2_000_000_000):
            answer = anonymous.get(address, **{header: http_date(seconds)})
            assert answer.status_code == 200


def test_upcoming_moves_with_the_clock(anonymous, event):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        first = anonymous.get("/venues?only_with_upcoming=1").headers["ETag"]
        clock.shift(timedelta(days=60))
        later = anonymous.get("/venues?only_with_upcoming=1", If_None_Match=first)

    assert later.status_code == 200
    assert later.json()["total"] == 0


def test_errors_are_not_kept(anonymous):
    assert anonymous.get("/events/0").headers["Cache-Control"] == "no-store"


def test_a_term_changes_its_tag_only_when_it_changes(anonymous):
    category = CategoryFactory()
    address = f"/categories/{category.pk}"
    before = anonymous.get(address).headers["ETag"]

    assert anonymous.get(address).headers["ETag"] == before
    rename(category)
    assert anonymous.get(address).headers["ETag"] != before
    assert category.modified_at > LONG_AGO


@pytest.mark.both_databases
def test_a_record_that_was_rendered_anew_has_another_tag(anonymous, event, settings):
    addresses = ["/events", f"/events/{event.pk}", f"/venues/{event.venues.get().pk}"]
    before = {address: anonymous.get(address) for address in addresses}
    settings.TIME_ZONE = "America/New_York"
    call_command("rebuild_calendar", verbosity=0)

    for address, first in before.items():
        again = anonymous.get(address, If_None_Match=first.headers["ETag"])
        assert again.status_code == 200, address
        assert again.content != first.content
