"""Where the rows of events keep their texts, and the extension for substrings (PostgreSQL).

A list looks at the columns of every event that it counts: short columns stay in the row,
large texts leave it.
"""

from django.db import migrations

STORAGE = """
ALTER TABLE calendar_events_event
    ALTER search_text SET STORAGE EXTERNAL,
    ALTER sort_text SET STORAGE MAIN,
    ALTER title SET STORAGE MAIN,
    ALTER slug SET STORAGE MAIN,
    ALTER website SET STORAGE MAIN,
    ALTER institution SET STORAGE MAIN,
    ALTER status SET STORAGE MAIN,
    ALTER previous_status SET STORAGE MAIN,
    ALTER timezone SET STORAGE MAIN,
    ALTER cost SET STORAGE MAIN,
    ALTER password SET STORAGE MAIN,
    SET (toast_tuple_target = 512);
CREATE EXTENSION IF NOT EXISTS pg_trgm; -- a trusted one
"""


def store(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(STORAGE, params=None)


class Migration(migrations.Migration):
    replaces = [
        ("calendar_events", "0003_search_indexes"),
        ("calendar_events", "0007_search_text_inline"),
        ("calendar_events", "0009_event_search"),
        ("calendar_events", "0010_search_text_outside"),
    ]
    dependencies = [("calendar_events", "0003_kept_counters")]
    operations = [migrations.RunPython(store, migrations.RunPython.noop)]
