"""Trigram indexes for substring search on PostgreSQL (pg_trgm is a trusted extension)."""

from django.db import migrations

TABLES = ("event", "venue", "organizer", "term")


def create(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return  # SQLite scans the folded column
    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    for table in TABLES:
        schema_editor.execute(
            f"CREATE INDEX {table}_search ON calendar_events_{table} "
            "USING gin (search_text gin_trgm_ops)"
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for table in TABLES:
        schema_editor.execute(f"DROP INDEX IF EXISTS {table}_search")


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0002_counters")]
    operations = [migrations.RunPython(create, drop)]
