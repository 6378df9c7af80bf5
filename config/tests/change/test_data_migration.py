"""A migration of data: in batches, interrupted, run again."""

import contextlib
import signal
import sqlite3

import psycopg
import pytest
from django.db import NotSupportedError, transaction

from authserver.models import Institution
from authserver.tests.factories import InstitutionFactory
from calendar_events.management import migrating
from calendar_events.models import Event
from config.tests import prepared, servers
from config.tests.change.processes import interrupt, run

pytestmark = pytest.mark.processes

FILL = "config.tests.change.next_release.9002_fill_subtitles:change"


@pytest.fixture
def environment(tmp_path):
    name, _ = prepared.demonstration(tmp_path)
    with servers.database(tmp_path, name) as url:
        yield prepared.server_environment(
            tmp_path,
            url,
            DJANGO_SETTINGS_MODULE="config.tests.change.next_settings",
            BATCH_OF_THE_TEST="10",
        )


def ask(environment, statement):
    """Return the first column of every row."""
    url = environment["DATABASE_URL"]
    connect = psycopg.connect
    if url.startswith("sqlite"):
        connect, url = sqlite3.connect, url.removeprefix("sqlite:///")
    with contextlib.closing(connect(url)) as database:
        return [row[0] for row in database.execute(statement).fetchall()]


@pytest.mark.nightly
def test_it_goes_on_where_it_was_interrupted(environment):
    (total,) = ask(environment, "SELECT COUNT(*) FROM calendar_events_event")

    *_, last = interrupt(environment, FILL, "2", "migrate", by=signal.SIGTERM)

    assert last == (
        f"Interrupted: fill_subtitles was stopped by SIGTERM after 20 of {total} rows; "
        "run migrate again to go on."
    )
    filled = "SELECT COUNT(*) FROM calendar_events_event WHERE subtitle = title"
    assert ask(environment, filled) == [20]
    done = "SELECT name FROM django_migrations WHERE name LIKE '9%'"
    assert ask(environment, done) == ["9001_subtitle"]
    run(environment, "migrate")
    assert ask(environment, filled) == [total]
    assert len(ask(environment, done)) == 3


@pytest.mark.django_db(transaction=True)
def test_rows_are_changed_in_the_order_of_their_keys():
    institutions = [InstitutionFactory(sender_name="old") for _ in range(5)]
    batches = []

    def change(batch):
        batches.append(sorted(batch.values_list("pk", flat=True)))
        batch.update(sender_name="new")

    rows = Institution.objects.filter(sender_name="old")
    migrating.in_batches(rows, change, name="fill", batch_size=2)

    keys = sorted(each.pk for each in institutions)
    assert batches == [keys[:2], keys[2:4], keys[4:]]
    assert not rows.exists()


@pytest.mark.django_db
def test_it_refuses_to_be_one_transaction():
    with transaction.atomic(), pytest.raises(NotSupportedError, match="atomic = False"):
        migrating.in_batches(Event.objects.all(), len, name="fill")
