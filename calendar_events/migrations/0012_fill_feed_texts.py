"""Make the texts of 0011 for the records that are there, a batch at a time.

Each batch is a transaction of its own: readers and other writers do not wait, and what an
end in the middle leaves is made the next time.
"""

from django.db import migrations, transaction

from calendar_events import documents

BATCH = 500


def fill(apps, schema_editor):
    alias = schema_editor.connection.alias
    for name, render in (
        ("Venue", documents.render_venue),
        ("Organizer", documents.render_organizer),
        ("Event", documents.render_event),
    ):
        model = apps.get_model("calendar_events", name)
        columns = ["feed_text", "json_ld"]
        if name == "Event":
            columns.append("protected_feed_text")
        rows = model.objects.using(alias).select_related("image").order_by("pk")
        last = 0
        while last is not None:
            with transaction.atomic(using=alias):
                found = rows.filter(pk__gt=last, json_ld="")
                last = fill_batch(found, render, columns)


def fill_batch(rows, render, columns):
    batch = list(rows.select_for_update(of=("self",))[:BATCH])
    for record in batch:
        rendered = render(record)
        for column in columns:
            setattr(record, column, getattr(rendered, column))
    rows.model.objects.using(rows.db).bulk_update(batch, columns)
    return batch[-1].pk if batch else None


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("calendar_events", "0011_feed_texts")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
