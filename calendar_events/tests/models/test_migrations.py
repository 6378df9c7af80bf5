"""What the migrations make, and how databases of before come along."""

from pathlib import Path

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from calendar_events.tests import catalogue
from calendar_events.tests.factories import EventFactory

APP = "calendar_events"
BEFORE = (
    *("0001_initial", "0002_counters", "0003_search_indexes", "0004_groups"),
    *("0005_same_name_and_link_history", "0006_count_in_place"),
    *("0007_search_text_inline", "0008_months", "0009_event_search"),
    *("0010_search_text_outside", "0011_feed_texts", "0012_fill_feed_texts"),
    "0013_modified_indexes",
)
SINCE = [
    *("0005_history_comments", "0006_image_alternative_text", "0007_admin_at_scale"),
    *("0008_event_in_admin", "0009_add_list_indexes", "0010_search_by_trigrams"),
    *("0011_guard_base_managers", "0012_changes", "0013_series", "0014_series_index"),
    *("0015_webhooks", "0016_roles_of_webhooks"),
    "0017_standing",
    "0018_webhook_attempts",
]
"""The migrations after those that replaced others."""
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def record_only(*names):
    applied = MigrationRecorder(connection).migration_qs
    applied.filter(app=APP).delete()
    for name in names:
        applied.create(app=APP, name=name)


def plan():
    executor = MigrationExecutor(connection)
    return [
        migration.name
        for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())
        if migration.app_label == APP
    ]


def test_the_database_has_what_is_written_down():
    file = Path(__file__).parents[1] / "catalogues" / f"{connection.vendor}.txt"

    assert catalogue.describe(connection) == file.read_text(encoding="utf-8")


def test_a_database_with_all_the_migrations_of_before_needs_only_what_came_since():
    record_only(*BEFORE)

    assert plan() == SINCE


@pytest.mark.parametrize("number", range(2, len(BEFORE)))
def test_a_database_with_some_of_them_is_refused(number):
    record_only(*BEFORE[:number])

    with pytest.raises(
        SystemCheckError, match=r"(?s)calendar_events\.E002.*commit e3e245c"
    ):
        call_command("migrate", skip_checks=False, verbosity=0)


@pytest.mark.postgresql_only  # schema changes end transactions
def test_the_migrations_can_be_taken_back():
    with connection.cursor() as cursor:
        # All of it in the test's one transaction, on a machine that may stand still.
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    call_command("migrate", APP, "zero", verbosity=0)
    assert not catalogue.describe(connection)

    call_command("migrate", APP, verbosity=0)
    assert plan() == []


def missing():
    return [
        message.msg
        for message in run_checks(tags=[Tags.database], databases=["default"])
        if message.id == "calendar_events.W001"
    ]


def test_no_trigger_is_missing():
    assert missing() == []


def test_a_missing_trigger_is_named():
    name = "calendar_events_count_write_venue"
    if connection.vendor == "sqlite":
        name += "_insert"
    table = " ON calendar_events_venue" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{table}")

    assert missing() == [f"Triggers are missing in the database default: {name}."]


def drop_the_triggers():
    """Drop them as a migration on SQLite does that makes their table anew."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("ALTER TABLE calendar_events_event RENAME TO old")
            for name in ("insert", "update", "delete"):
                cursor.execute(f"DROP TRIGGER calendar_events_count_write_event_{name}")
            cursor.execute("ALTER TABLE old RENAME TO calendar_events_event")
        else:
            cursor.execute("DROP FUNCTION calendar_events_count_event CASCADE")
            cursor.execute("DROP FUNCTION calendar_events_count_write CASCADE")


def test_triggers_that_a_migration_dropped_are_made_again_after_it(anonymous):
    first = EventFactory()
    drop_the_triggers()
    EventFactory(institution=first.institution)
    assert missing()
    before = anonymous.get("/events")

    call_command("migrate", verbosity=0)

    assert missing() == []
    after = anonymous.get("/events", If_None_Match=before["ETag"])
    assert (after.status_code, after.json()["total"]) == (200, 2)
    EventFactory()
    assert anonymous.get("/events").json()["total"] == 3
    assert anonymous.get("/events", If_None_Match=after["ETag"]).status_code == 200
