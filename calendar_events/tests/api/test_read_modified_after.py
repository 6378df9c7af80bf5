"""``modified_after`` sees what the entity tag sees (decisions 9)."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone
from django.utils.http import parse_http_date

from calendar_events.tests.factories import (
    LONG_AGO,
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.reading import ids, path, pks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MADE = LONG_AGO
SINCE = LONG_AGO + timedelta(days=1)
CHANGED = LONG_AGO + timedelta(days=2)


def changed(caller, since=SINCE, collection="events", **query):
    """Return what a list finds that was changed after a moment."""
    return sorted(
        ids(
            caller.get(
                path(collection, modified_after=f"{since:%Y-%m-%dT%H:%M:%SZ}", **query)
            )
        )
    )


def rename(record, now=CHANGED):
    """Change a record as any writer does."""
    setattr(record, "title" if hasattr(record, "title") else "name", "Renamed")
    record.save(now=now)


@pytest.mark.parametrize(
    ("kind", "factory"),
    [
        ("venues", VenueFactory),
        ("organizers", OrganizerFactory),
        ("terms", CategoryFactory),
        ("terms", TagFactory),
    ],
)
def test_an_event_changes_with_what_it_embeds(anonymous, kind, factory):
    embedded = factory()
    event = EventFactory(**{kind: [embedded]})
    EventFactory(**{kind: [factory()]})
    assert changed(anonymous) == []

    rename(embedded)

    assert changed(anonymous) == [event.pk]
    assert changed(anonymous, CHANGED - timedelta(seconds=1)) == [event.pk]
    assert changed(anonymous, CHANGED) == []
    document = anonymous.get(f"/events/{event.pk}").json()
    assert document["modified_utc"] == f"{MADE:%Y-%m-%d %H:%M:%S}"


def test_an_event_changes_when_its_venue_goes_to_the_trash(anonymous):
    venue = VenueFactory()
    event = EventFactory(venues=[venue])
    venue.status, venue.slug = "trash", f"{venue.slug}__trashed"

    venue.save(now=CHANGED)

    assert changed(anonymous) == [event.pk]


@pytest.mark.parametrize("kind", ["venues", "organizers"])
def test_an_event_changes_when_time_publishes_what_it_embeds(anonymous, kind):
    factory = {"venues": VenueFactory, "organizers": OrganizerFactory}[kind]
    soon = timezone.now().replace(microsecond=0) + timedelta(days=1)
    event = EventFactory(**{kind: [factory(published_at=soon)]})
    EventFactory(**{kind: [factory(status="draft", published_at=soon)]})
    assert changed(anonymous) == []

    with time_machine.travel(soon + timedelta(seconds=1)):
        assert changed(anonymous) == [event.pk]
        assert changed(anonymous, soon - timedelta(seconds=1)) == [event.pk]
        assert changed(anonymous, soon) == []


def test_an_event_changes_when_time_publishes_it(anonymous):
    soon = timezone.now().replace(microsecond=0) + timedelta(days=1)
    event = EventFactory(published_at=soon)
    EventFactory(draft=True, title="A draft with a date")

    with time_machine.travel(soon + timedelta(seconds=1)):
        assert changed(anonymous) == [event.pk]
        assert changed(anonymous, soon) == []


@pytest.mark.parametrize(
    ("collection", "factory"), [("venues", VenueFactory), ("organizers", OrganizerFactory)]
)
def test_venues_and_organizers_change_when_time_publishes_them(
    anonymous, collection, factory
):
    soon = timezone.now().replace(microsecond=0) + timedelta(days=1)
    record = factory(published_at=soon)
    factory()

    with time_machine.travel(soon + timedelta(seconds=1)):
        assert changed(anonymous, collection=collection) == [record.pk]
        assert changed(anonymous, soon, collection=collection) == []


@pytest.mark.parametrize("password", ["", "opensesame", "wrong"])
def test_a_protected_event_is_not_found_by_a_change_that_it_does_not_show(
    anonymous, password
):
    venue = VenueFactory()
    event = EventFactory(protected=True, venues=[venue])
    rename(venue)

    found = changed(anonymous, **({"password": password} if password else {}))

    assert found == ([event.pk] if password == "opensesame" else [])


def test_a_protected_event_is_found_by_its_own_change(anonymous):
    event = EventFactory(protected=True)
    rename(event)

    assert changed(anonymous) == [event.pk]


def test_an_editor_finds_drafts_by_what_they_embed(editor, anonymous):
    venue = VenueFactory()
    draft = EventFactory(draft=True, venues=[venue])
    scheduled = EventFactory(scheduled=True, venues=[venue])
    other = VenueFactory(institution="1002")
    elsewhere = EventFactory(draft=True, venues=[other], institution="1002")
    rename(venue)
    rename(other)

    assert changed(editor) == pks(draft, scheduled)
    assert changed(editor, status="draft") == [draft.pk]
    assert changed(anonymous) == []
    assert elsewhere.pk not in changed(editor)


def test_an_event_that_several_changes_concern_is_found_once(anonymous):
    venue, tag = VenueFactory(), TagFactory()
    events = [EventFactory(venues=[venue], terms=[tag]) for _ in range(3)]
    EventFactory(venues=[VenueFactory()], terms=[TagFactory()])
    rename(venue)
    rename(tag)
    own = EventFactory(written_at=CHANGED)

    page = anonymous.get(path("events", modified_after=f"{SINCE:%Y-%m-%d}", per_page=2))

    assert page.json()["total"] == 4
    assert changed(anonymous) == pks(*events, own)
    assert changed(anonymous, venue=venue.pk) == pks(*events)
    assert changed(anonymous, search="evening", tags=tag.pk) == pks(*events)
    feed = anonymous.get(path("events.ics", modified_after=f"{SINCE:%Y-%m-%d}"))
    assert b"".join(feed).count(b"BEGIN:VEVENT") == 4


def test_what_is_found_is_what_last_modified_says(anonymous):
    """Of records of every kind and age, all at once."""
    now = timezone.now().replace(microsecond=0)
    moments = [MADE, now - timedelta(days=3), now - timedelta(days=2), now]
    for own in moments[:3]:
        for linked in moments[:3]:
            EventFactory(written_at=own, venues=[VenueFactory(written_at=linked)])
            EventFactory(written_at=own, terms=[TagFactory(written_at=linked)])
            EventFactory(
                written_at=own,
                published_at=linked,
                organizers=[OrganizerFactory(published_at=own, draft=linked == own)],
            )

    everything = ids(anonymous.get(path("events", per_page=50)))
    dates = {
        pk: datetime.fromtimestamp(
            parse_http_date(anonymous.get(f"/events/{pk}").headers["Last-Modified"]), UTC
        )
        for pk in everything
    }

    for since in moments:
        wanted = sorted(pk for pk, moment in dates.items() if moment > since)
        assert changed(anonymous, since, per_page=50) == wanted
