"""Searches by an index of trigrams; counters on PostgreSQL alone.

On SQLite lists are counted each time: what its triggers kept of totals is dropped.
"""

from django.db import migrations

from calendar_events.models.fields import SubstringIndex
from calendar_events.store import triggers

# What 0004 made until it was rewritten.
DROP = """
DROP TRIGGER IF EXISTS calendar_events_keep_search ON calendar_events_event;
DROP TRIGGER IF EXISTS calendar_events_keep_search_truncate ON calendar_events_event;
DROP FUNCTION IF EXISTS calendar_events_keep_search();
DROP FUNCTION IF EXISTS calendar_events_copy_searches();
DROP TABLE IF EXISTS calendar_events_eventsearch;
DROP FUNCTION IF EXISTS calendar_events_suffixes(text);
DROP FUNCTION IF EXISTS calendar_events_has_suffixes(text);
DROP INDEX IF EXISTS venue_search;
DROP INDEX IF EXISTS organizer_search;
DROP INDEX IF EXISTS term_search;
"""


def drop(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(DROP, params=None)


def count_on_postgresql(apps, schema_editor):
    triggers.install(schema_editor.connection)
    if schema_editor.connection.vendor != "postgresql":
        rows = apps.get_model("calendar_events", "DayCount").objects
        rows.exclude(scope="writes").delete()


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0009_add_list_indexes")]

    operations = [
        migrations.RunPython(drop, migrations.RunPython.noop),
        migrations.DeleteModel(name="EventSearch"),
        *(
            migrations.AddIndex(
                model_name=kind,
                index=SubstringIndex(name=f"{kind}_search"),
            )
            for kind in ("event", "venue", "organizer", "term")
        ),
        migrations.RunPython(count_on_postgresql, migrations.RunPython.noop),
    ]
