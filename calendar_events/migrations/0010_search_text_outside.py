"""Events need their search text in the row no longer: searches read a table of their own.

The text leaves the row, uncompressed, and its index goes (0009 has another); the short
columns stay (0007), so that a page of the table holds many events.

Rows that are there already keep their form until they are written again; after a
``VACUUM FULL calendar_events_event`` all have the new one (docs/operations.md).
"""

from django.db import migrations

TABLE = "calendar_events_event"
FORWARD = f"""
LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE;
ALTER TABLE {TABLE} ALTER search_text SET STORAGE EXTERNAL;
ALTER TABLE {TABLE} SET (toast_tuple_target = 512);
DROP INDEX event_search;
"""
BACKWARD = f"""
LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE;
ALTER TABLE {TABLE} ALTER search_text SET STORAGE MAIN;
ALTER TABLE {TABLE} SET (toast_tuple_target = 1536);
CREATE INDEX event_search ON {TABLE} USING gin (search_text gin_trgm_ops);
"""


def move_out(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FORWARD)


def move_in(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(BACKWARD)


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0009_event_search")]
    operations = [migrations.RunPython(move_out, move_in)]
