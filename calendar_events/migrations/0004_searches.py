"""What searches read on PostgreSQL (``sql/search.postgresql.sql``); SQLite reads each text."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"
DROP = """
DROP TRIGGER calendar_events_keep_search ON calendar_events_event;
DROP TRIGGER calendar_events_keep_search_truncate ON calendar_events_event;
DROP FUNCTION calendar_events_keep_search();
DROP FUNCTION calendar_events_copy_searches();
DROP TABLE calendar_events_eventsearch;
DROP FUNCTION calendar_events_suffixes(text);
DROP FUNCTION calendar_events_has_suffixes(text);
DROP INDEX venue_search;
DROP INDEX organizer_search;
DROP INDEX term_search;
"""


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        text = (SQL / "search.postgresql.sql").read_text(encoding="utf-8")
        schema_editor.execute(text, params=None)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(DROP, params=None)


class Migration(migrations.Migration):
    replaces = [
        ("calendar_events", "0003_search_indexes"),
        ("calendar_events", "0007_search_text_inline"),
        ("calendar_events", "0009_event_search"),
        ("calendar_events", "0010_search_text_outside"),
    ]
    dependencies = [("calendar_events", "0003_kept_counters")]
    operations = [migrations.RunPython(create, drop)]
