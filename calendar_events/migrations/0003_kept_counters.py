"""Triggers that keep ``DayCount`` (``store.triggers``)."""

from django.db import migrations

from calendar_events.store import triggers


def install(_apps, schema_editor):
    triggers.install(schema_editor.connection)


def remove(_apps, schema_editor):
    triggers.remove(schema_editor.connection)


class Migration(migrations.Migration):
    replaces = [
        ("calendar_events", "0002_counters"),
        ("calendar_events", "0006_count_in_place"),
        ("calendar_events", "0008_months"),
    ]
    dependencies = [("calendar_events", "0002_roles")]
    operations = [migrations.RunPython(install, remove)]
