"""Many workers at once: each change is told once, and in order."""

import threading

import pytest
from django.db import connections
from django.utils import timezone

from calendar_events.models import Event, WebhookDelivery
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.settling import settle
from calendar_events.webhooks import fan_out

pytestmark = [
    pytest.mark.postgresql_only,  # SQLite has one writer at a time
    pytest.mark.django_db(transaction=True),
]

WORKERS, EVENTS = 4, 12


def in_threads(work, count):
    """Run at once; raise what a thread raised."""
    problems = []

    def run():
        try:
            work()
        except Exception as error:  # noqa: BLE001 -- for the thread that asserts
            problems.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_what_many_write_while_many_read_is_told_once_and_in_order(subscribe, monkeypatch):
    monkeypatch.setattr(fan_out, "BATCH", 3)
    one = subscribe("https://receiver.example/")
    events = EventFactory.create_batch(3)
    written = threading.Event()

    def write():
        try:
            for event in events:
                stored = Event.objects.get(pk=event.pk)
                for _ in range(EVENTS):
                    stored.title += "!"
                    stored.save()
        finally:
            written.set()

    def read():
        while not written.wait(0.01):
            fan_out.read_on(one["id"], now=timezone.now())

    jobs = [write, *[read] * WORKERS]
    lock = threading.Lock()

    def work():
        with lock:
            job = jobs.pop()
        job()

    in_threads(work, WORKERS + 1)
    settle()
    while fan_out.read_on(one["id"], now=timezone.now()):
        pass

    for event in events:
        rows = WebhookDelivery.objects.filter(record=event.pk).order_by("pk")
        versions = [row.payload.partition('"version":')[2].split(",")[0] for row in rows]
        assert versions == [str(number) for number in range(1, EVENTS + 2)]
