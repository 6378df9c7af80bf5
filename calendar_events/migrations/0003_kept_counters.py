"""Triggers that keep ``DayCount``, by the kind of database (``sql/counters.*.sql``).

On SQLite a later migration that makes one of these tables anew drops its triggers and must
run ``install`` again; a system check notices when one forgets.
"""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


def install(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    text = (SQL / f"counters.{vendor}.sql").read_text(encoding="utf-8")
    # SQLite takes one statement at a time; each is a paragraph.
    statements = [text] if vendor == "postgresql" else text.split("\n\n")[1:]
    for statement in statements:
        schema_editor.execute(statement, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":  # else they go with their tables
        schema_editor.execute(
            """DO $$ DECLARE f text; BEGIN
                FOR f IN SELECT oid::regprocedure FROM pg_proc
                    WHERE proname LIKE 'calendar\\_events\\_count%'
                LOOP EXECUTE 'DROP FUNCTION ' || f || ' CASCADE'; END LOOP;
            END $$""",
            params=None,
        )


class Migration(migrations.Migration):
    replaces = [
        ("calendar_events", "0002_counters"),
        ("calendar_events", "0006_count_in_place"),
        ("calendar_events", "0008_months"),
    ]
    dependencies = [("calendar_events", "0002_roles")]
    operations = [migrations.RunPython(install, remove)]
