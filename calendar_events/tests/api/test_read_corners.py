"""Corners of reading that no contract names but that somebody will turn."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from calendar_events.api import fieldsets
from calendar_events.conf import conf
from calendar_events.filters.windows import written
from calendar_events.models import Event, WallClockField
from calendar_events.models.guard import store_writes
from calendar_events.models.visibility import ANONYMOUS
from calendar_events.parsing.values import Context
from calendar_events.store import list_version, saving
from calendar_events.store.events.queryset import ListedEvents
from calendar_events.store.events.windows import Window
from calendar_events.store.list_version import CountHints
from calendar_events.tests.callers import bad_fields, caller
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    IdempotentAnswerFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
    at_day,
)
from calendar_events.tests.reading import at, ids, path, pks


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("collection", "query", "bad"),
    [
        ("events", {"strict_dates": ""}, "strict_dates"),
        ("events", {"geoloc_lat": "north", "geoloc_lng": "0"}, "geoloc_lat"),
        ("events", {"geoloc_lat": "-90.1", "geoloc_lng": "0"}, "geoloc_lat"),
        ("events", {"search": "a b c d e f g h i j k l m n o p q r s t u"}, "search"),
        ("events", {"include": ",".join(["1"] * 501)}, "include"),
        ("events", {"include": ",,"}, "include"),
        ("events", {"overlaps": "perhaps"}, "overlaps"),
        ("events", {"tz": ""}, "tz"),
        ("events", {"institution": ""}, "institution"),
        ("venues", {"search": "\N{COMBINING ACUTE ACCENT}"}, "search"),
        ("venues", {"has_events": ""}, "has_events"),
        ("tags", {"slug": "x" * 501}, "slug"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(anonymous, collection, query, bad):
    assert bad_fields(anonymous.get(path(collection, **query))) == [bad]


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["%", "a=%zz", "=", "&&&", "search=%ff%fe", "page=%31"])
def test_no_query_string_is_an_accident(anonymous, query):
    assert anonymous.get(f"/events?{query}").status_code in {200, 400}


@pytest.mark.django_db
def test_a_list_looks_again_when_something_was_written_beyond_its_horizon():
    tag = TagFactory()
    listed = EventFactory(terms=[tag])
    EventFactory(start=at_day(3), end=at_day(4000))
    EventFactory(scheduled=True)
    now = timezone.now()
    nothing_far = CountHints(has_scheduled=False, last_end=datetime.min.replace(tzinfo=UTC))
    window = Window(start=now, end=now.replace(year=now.year + 2, microsecond=0))

    events = ListedEvents(Event).listed_for(ANONYMOUS, now).counted_with(nothing_far)

    page = events.in_window(window).page(limit=10, offset=0)

    assert [json.loads(item, strict=False)["id"] for item in page.items] == pks(listed)
    assert page.total == 1


@pytest.mark.django_db
def test_many_links_are_looked_up_instead_of_walked(anonymous):
    venues = [VenueFactory() for _ in range(25)]
    events = [EventFactory(venues=[venue]) for venue in venues[::8]]

    response = anonymous.get(path("events", venue=pks(*venues)))

    assert ids(response) == pks(*events)
    assert response.json()["total"] == 4


@pytest.mark.django_db
def test_links_are_walked_in_any_order(anonymous):
    tag = TagFactory()
    late = EventFactory(terms=[tag], title="a", start=at_day(9))
    soon = EventFactory(terms=[tag], title="b", start=at_day(2))

    assert ids(anonymous.get(path("events", tags=tag.pk, orderby="title"))) == pks(
        late, soon
    )
    assert ids(anonymous.get(path("events", tags=tag.pk, starts_before="2099"))) == pks(
        soon, late
    )
    assert ids(anonymous.get(path("events", tags=tag.pk, start_date="2001"))) == pks(
        soon, late
    )


@pytest.mark.django_db
def test_drafts_stand_among_the_others_by_their_creation(editor):
    old = EventFactory(published_at=datetime(2019, 1, 1, tzinfo=UTC))
    draft = EventFactory(draft=True, written_at=datetime(2021, 1, 1, tzinfo=UTC))
    new = EventFactory(published_at=datetime(2023, 1, 1, tzinfo=UTC))

    assert ids(editor.get(path("events", orderby="date"))) == pks(old, draft, new)


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["contributor", "author"])
def test_a_writer_finds_events_at_their_own_unpublished_venue(role):
    writer = caller(role)
    own = VenueFactory(draft=True, located=True, author=writer.user)
    other = VenueFactory(draft=True, located=True)
    mine = EventFactory(venues=[own])
    EventFactory(venues=[other])

    near = writer.get(path("events", geoloc_lat=40, geoloc_lng=-83))

    assert ids(near) == pks(mine)
    assert ids(writer.get(path("events", venue=own.pk))) == pks(mine)
    assert ids(writer.get(path("venues", has_events="true"))) == pks(own)
    assert writer.get(f"/events/{mine.pk}").json()["venue"]["id"] == own.pk


@pytest.mark.django_db
def test_a_superuser_sees_everything_of_the_institution():
    user = UserFactory(is_superuser=True)
    draft = EventFactory(draft=True)

    assert ids(caller(user=user).get("/events")) == pks(draft)
    found = list_version.read(now=timezone.now(), user=user)
    assert found.permissions == list_version.READING


@pytest.mark.django_db
def test_options_of_a_feed_describes_it_too(anonymous):
    assert anonymous.send("OPTIONS", "/events.ics").status_code == 200


@pytest.mark.django_db
def test_a_feed_names_an_organizer_without_an_address_nowhere(anonymous):
    event = EventFactory(organizers=[OrganizerFactory()], venues=[VenueFactory()])

    content = anonymous.get(f"/events/{event.pk}.ics").content

    assert b"ORGANIZER" not in content
    assert b"LOCATION" in content


def test_the_edge_of_the_calendar_is_written_as_an_instant():
    here = Context(now=timezone.now(), zone=ZoneInfo("Pacific/Kiritimati"))
    last = datetime.max.replace(tzinfo=UTC, microsecond=0)

    assert written(last, here) == "9999-12-31T23:59:59Z"


def test_fields_of_what_is_no_object_are_the_thing_itself():
    assert fieldsets.cut(b'{"a":[1,{"b":2,"c":3}]}', "a.b") == b'{"a":[1,{"b":2}]}'
    assert fieldsets.cut(b'{"a":{"b":1}}', "a.b,a") == b'{"a":{"b":1}}'
    assert fieldsets.cut(b'{"a":1}', " ") == b'{"a":1}'


def test_a_wall_clock_has_no_zone():
    field = WallClockField()

    assert field.to_python("2031-01-01 10:00") == at("2031-01-01 10:00")
    assert field.to_python("") is None
    for wrong in ("soon", timezone.now(), 7):
        with pytest.raises(ValidationError):
            field.to_python(wrong)


@pytest.mark.django_db
def test_a_wall_clock_survives_a_fixture():
    event = EventFactory(start=at("0031-01-01 10:00"), end=at("2031-01-01 10:00"))
    field = Event._meta.get_field("start_local")

    assert field.value_to_string(event) == "0031-01-01 10:00:00"
    assert Event.objects.get().start_local == at("0031-01-01 10:00")
    assert Event.objects.filter(start_local=event.start_local).exists()


@pytest.mark.django_db
def test_rows_have_names_that_people_can_tell_apart():
    category = CategoryFactory(name="Music")
    event = EventFactory(title="Yoga", terms=[category], venues=[VenueFactory()])
    organizer = OrganizerFactory()
    with store_writes():
        event.organizers.through.objects.create(
            event=event, organizer=organizer, start_utc=event.start_utc, listed=True
        )

    assert str(event) == f"Yoga ({event.pk})"
    assert str(category) == f"Music (Category {category.pk})"
    for name in ("eventterm_set", "eventvenue_set", "eventorganizer_set"):
        link = getattr(event, name).get()
        assert str(event.pk) in str(link)
        assert str(link.pk) in str(link)
    answer = IdempotentAnswerFactory(key="abc")
    assert "abc" in str(answer)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        {"status": "future"},
        {"status": "nothing"},
        {"title": ""},
        {"institution": ""},
        {"slug": ""},
        {"published_at": None},
        {"end_utc": datetime(1999, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_database_refuses_what_makes_no_event(change):
    event = EventFactory()

    with pytest.raises(IntegrityError), transaction.atomic(), store_writes():
        Event.objects.filter(pk=event.pk).update(**change)


@pytest.mark.django_db
def test_of_two_writers_the_second_is_stale():
    event = EventFactory()
    first, second = Event.objects.get(pk=event.pk), Event.objects.get(pk=event.pk)
    saving.save(first, now=timezone.now())

    with pytest.raises(saving.VersionConflict), transaction.atomic():
        saving.save(second, now=timezone.now())
    with pytest.raises(saving.VersionConflict), transaction.atomic():
        saving.delete(second)
    assert Event.objects.get().version == 2


@pytest.mark.django_db
def test_every_write_moves_the_modification_date_by_a_second_at_least():
    event = EventFactory(written_at=datetime(2030, 1, 1, tzinfo=UTC))

    saving.save(event, now=datetime(2029, 1, 1, tzinfo=UTC))

    assert event.modified_at == datetime(2030, 1, 1, 0, 0, 1, tzinfo=UTC)


def test_settings_have_defaults(settings):
    del settings.CALENDAR_EVENTS

    assert conf.service == "calendar_events"
    assert conf.max_per_page == 50
    assert conf.currency == "USD"
    assert conf.idempotency_hours == 24


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no server")
def test_a_read_survives_a_restart_of_the_database(anonymous):
    event = EventFactory()
    assert ids(anonymous.get("/events")) == pks(event)
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [backend])
    other.close()

    assert ids(anonymous.get("/events")) == pks(event)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        *("/events?post_parent={0}", "/events?venue={0}", "/events?organizer=1,{0}"),
        *("/venues?event={0}", "/tags?post={0}", "/tags?include={0}", "/tags?exclude={0}"),
        "/categories?parent={0}",
    ],
)
def test_an_identifier_that_no_row_can_have_is_named_as_it_was_sent(anonymous, address):
    given = "9" * 25

    response = anonymous.get(address.format(given))

    (problem,) = response.json()["data"]["params"].values()
    assert problem.startswith("There is no ")
    assert given in problem


@pytest.mark.django_db
def test_including_an_event_that_no_row_can_be_finds_the_others(anonymous):
    event = EventFactory()

    assert ids(anonymous.get(f"/events?include={event.pk},{'9' * 25}")) == pks(event)
