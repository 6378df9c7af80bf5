"""Keep what searches and lists look at together, and the large texts out of their way.

A search reads the text of every event that might match, a list the columns of every event
that it counts. By default PostgreSQL decides for each row which of its texts is stored
elsewhere and which is compressed. Here it is always the description, the excerpt and the
rendered fragments that are; ``search_text`` and the short columns stay in the row.

Rows that are there already keep their form until they are written again; after a
``VACUUM FULL calendar_events_event`` all have the new one (docs/operations.md).
"""

from django.db import migrations

TABLE = "calendar_events_event"
INLINE = (
    "search_text",
    "sort_text",
    "title",
    "slug",
    "website",
    "institution",
    "status",
    "previous_status",
    "timezone",
    "cost",
    "password",
)
# From this size of a row on the others move out: about the row of a usual text without them.
TARGET = 1536


def keep_inline(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    _store(schema_editor, "MAIN")
    schema_editor.execute(f"ALTER TABLE {TABLE} SET (toast_tuple_target = {TARGET})")


def restore(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    _store(schema_editor, "EXTENDED")
    schema_editor.execute(f"ALTER TABLE {TABLE} RESET (toast_tuple_target)")


def _store(schema_editor, storage):
    changes = ", ".join(f"ALTER {column} SET STORAGE {storage}" for column in INLINE)
    schema_editor.execute(f"ALTER TABLE {TABLE} {changes}")


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0006_count_in_place")]
    operations = [migrations.RunPython(keep_inline, restore)]
