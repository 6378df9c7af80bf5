"""How feeds are sent: batch by batch, by any thread, and only so many at once."""

import gc
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import OperationalError, connection, connections
from django.test.utils import CaptureQueriesContext
from icalendar import Calendar

from calendar_events.api.streams import CHUNK, places
from calendar_events.conf import conf
from calendar_events.models import Event, Status
from calendar_events.models.guard import store_writes
from calendar_events.store import feeds
from calendar_events.tests.callers import refusal
from calendar_events.tests.factories import EventFactory, TagFactory, VenueFactory
from calendar_events.tests.reading import at

pytestmark = pytest.mark.both_databases

FEED = "/events.ics"
LONG = "<p>" + "words and more words " * 400 + "</p>"


@pytest.fixture
def _one_at_once(settings, anonymous):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "FEEDS_AT_ONCE": 1}
    anonymous.client.raise_request_exception = False
    gc.collect()  # a feed that another test left unread gives its place back when forgotten


def uids(content):
    """Return the identifiers of the events of a calendar, in order."""
    return [str(event["UID"]) for event in Calendar.from_ical(content).events]


def uid(event):
    return f"event-{event.pk}@testserver"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_one_at_once")
def test_one_feed_too_many_is_refused_for_the_moment(anonymous):
    EventFactory()
    sent = anonymous.get(FEED)

    refused = anonymous.get(FEED)

    assert refusal(refused) == (503, "rest_unavailable")
    assert refused.headers["Retry-After"] == "10"
    assert refused.headers["Content-Type"] == "application/json"
    sent.close()
    assert len(uids(b"".join(anonymous.get(FEED)))) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_one_at_once")
@pytest.mark.parametrize("chunks", [0, 1, 2])
def test_a_feed_that_is_abandoned_gives_its_place_back(anonymous, chunks):
    EventFactory.create_batch(8, description=LONG)
    abandoned = anonymous.get(FEED)
    for _, _chunk in zip(range(chunks), abandoned, strict=False):
        pass

    abandoned.close()
    abandoned.close()

    assert len(uids(b"".join(anonymous.get(FEED)))) == 8


@pytest.mark.django_db
@pytest.mark.usefixtures("_one_at_once")
def test_a_feed_that_nobody_closes_gives_its_place_back_when_it_is_forgotten(anonymous):
    response = anonymous.get(FEED)
    assert anonymous.get(FEED).status_code == 503

    del response
    gc.collect()

    assert uids(b"".join(anonymous.get(FEED))) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_one_at_once")
def test_what_streams_nothing_takes_no_place(anonymous):
    event = EventFactory()
    sent = anonymous.get(FEED)
    etag = sent.headers["ETag"]

    assert anonymous.get(FEED, If_None_Match=etag).status_code == 304
    assert anonymous.get(f"/events/{event.pk}.ics").status_code == 200
    head = anonymous.send("HEAD", FEED)
    assert (head.status_code, head.headers["ETag"]) == (200, etag)
    assert head.headers["Content-Type"] == "text/calendar; charset=utf-8"
    sent.close()


@pytest.mark.django_db(transaction=True)
def test_every_place_is_free_again_after_feeds_were_read(anonymous):
    for _ in range(conf.feeds_at_once + 1):
        response = anonymous.get(FEED)
        b"".join(response)
        response.close()

    assert places._taken == 0


@pytest.mark.django_db
@pytest.mark.usefixtures("_one_at_once")
def test_a_feed_whose_first_events_cannot_be_read_is_503_and_gives_its_place_back(
    anonymous, monkeypatch
):
    EventFactory()

    def lost(query):
        raise OperationalError("the connection was closed")
        yield

    with monkeypatch.context() as broken:
        broken.setattr(feeds, "batches", lost)
        answer = anonymous.get(FEED)

    assert refusal(answer) == (503, "rest_unavailable")
    assert "Retry-After" in answer.headers
    assert len(uids(b"".join(anonymous.get(FEED)))) == 1


@pytest.mark.django_db
def test_a_feed_comes_in_chunks_of_one_size(anonymous):
    EventFactory.create_batch(12, description=LONG)

    *chunks, last = list(anonymous.get(FEED))

    assert {len(chunk) for chunk in chunks} == {CHUNK}
    assert 0 < len(last) <= CHUNK


@pytest.mark.django_db
def test_two_feeds_that_are_read_in_turns_do_not_mix(anonymous, editor, monkeypatch):
    monkeypatch.setattr(feeds, "BATCH", 2)
    public = EventFactory.create_batch(7, description=LONG)
    draft = EventFactory(draft=True, description=LONG)
    alone = [b"".join(viewer.get(FEED)) for viewer in (anonymous, editor)]

    together = [iter(viewer.get(FEED)) for viewer in (anonymous, editor)]
    received = [b"", b""]
    while any(chunks := [next(one, b"") for one in together]):
        received = [whole + chunk for whole, chunk in zip(received, chunks, strict=True)]

    assert received == alone
    assert set(uids(received[0])) == {uid(event) for event in public}
    assert set(uids(received[1])) == {uid(event) for event in [*public, draft]}


@pytest.mark.django_db(transaction=True)
def test_every_step_of_a_feed_may_be_made_by_another_thread(anonymous, monkeypatch):
    monkeypatch.setattr(feeds, "BATCH", 2)
    made = EventFactory.create_batch(9, description=LONG)
    steps = iter(anonymous.get(FEED))
    received = []

    def step():
        try:
            return next(steps, b"")
        finally:
            assert not connection.in_atomic_block
            connections.close_all()

    while True:
        with ThreadPoolExecutor(1) as thread:
            chunk = thread.submit(step).result()
        if not chunk:
            break
        received.append(chunk)

    assert len(received) > 2
    assert set(uids(b"".join(received))) == {uid(event) for event in made}


@pytest.mark.django_db(transaction=True)
def test_a_feed_that_waits_holds_up_no_writer_and_shows_what_is_there(
    anonymous, editor, monkeypatch
):
    monkeypatch.setattr(feeds, "BATCH", 1)
    start = at("2031-01-01 10:00")
    made = [
        EventFactory(start=start + timedelta(days=day), description=LONG * 8)
        for day in range(4)
    ]
    steps = iter(anonymous.get("/events.ics?start_date=2031-01-01&end_date=2032-01-01"))
    first = next(steps)

    assert editor.patch(f"/events/{made[3].pk}", {"title": "New"}).status_code == 200
    assert editor.delete(f"/events/{made[2].pk}").status_code == 200
    content = first + b"".join(steps)

    assert uids(content) == [uid(made[number]) for number in (0, 1, 3)]
    assert b"SUMMARY:New\r\n" in content


@pytest.mark.django_db
def test_statements_of_a_feed_grow_with_its_batches_alone(anonymous, monkeypatch):
    monkeypatch.setattr(feeds, "BATCH", 10)

    def statements():
        with CaptureQueriesContext(connection) as captured:
            b"".join(anonymous.get(FEED))
        return len(captured)

    none = statements()
    EventFactory.create_batch(10, venues=[VenueFactory()], terms=[TagFactory()])
    one_batch = statements()
    EventFactory.create_batch(20, venues=[VenueFactory()], terms=[TagFactory()])

    assert (none, one_batch, statements()) == (2, 4, 8)


@pytest.mark.django_db
def test_a_batch_is_bounded_by_its_texts_as_well(anonymous, monkeypatch):
    monkeypatch.setattr(feeds, "OCTETS", 20_000)
    made = EventFactory.create_batch(9, description=LONG)

    with CaptureQueriesContext(connection) as captured:
        content = b"".join(anonymous.get(FEED))

    assert set(uids(content)) == {uid(event) for event in made}
    assert len(captured) == 2 + 2 * 3


@pytest.mark.django_db
def test_a_feed_by_title_is_complete_in_the_order_of_time(anonymous, monkeypatch):
    monkeypatch.setattr(feeds, "BATCH", 2)
    start = at("2031-01-01 10:00")
    made = [
        EventFactory(title=title, start=start + timedelta(days=day))
        for day, title in enumerate("cab")
    ]

    content = b"".join(anonymous.get("/events.ics?orderby=title&starts_after=2030"))

    assert uids(content) == [uid(event) for event in made]


@pytest.mark.django_db
def test_a_row_whose_text_is_not_made_yet_is_in_the_feed(anonymous):
    event = EventFactory(title="Loaded", venues=[VenueFactory(name="Hall")])
    with store_writes():
        Event.objects.update(feed_text="")

    for address in (FEED, f"/events/{event.pk}.ics"):
        content = b"".join(anonymous.get(address))
        assert uids(content) == [uid(event)]
        assert b"SUMMARY:Loaded\r\n" in content
        assert b"LOCATION:Hall\r\n" in content
    assert event.status == Status.PUBLISH
