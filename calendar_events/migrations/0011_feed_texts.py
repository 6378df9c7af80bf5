"""Records keep their text in feeds, and their ``json_ld``, as they keep their JSON.

Columns that are added with a default that stays: no table is rewritten. On SQLite Django
would make the tables anew, and the counters' triggers (0002, 0006, 0008) would be lost.
``0012`` fills them.
"""

from django.db import migrations, models

COLUMNS = (
    ("event", "feed_text"),
    ("event", "protected_feed_text"),
    ("event", "json_ld"),
    ("venue", "feed_text"),
    ("venue", "json_ld"),
    ("organizer", "feed_text"),
    ("organizer", "json_ld"),
)


def add(apps, schema_editor):
    for model, column in COLUMNS:
        schema_editor.execute(
            f"ALTER TABLE calendar_events_{model} ADD COLUMN {column} text NOT NULL DEFAULT ''"
        )


def remove(apps, schema_editor):
    for model, column in COLUMNS:
        schema_editor.execute(f"ALTER TABLE calendar_events_{model} DROP COLUMN {column}")


def field():
    return models.TextField(blank=True, default="", editable=False)


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0010_search_text_outside")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add, remove)],
            state_operations=[
                migrations.AddField(model, column, field()) for model, column in COLUMNS
            ],
        )
    ]
