import os

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Concat

from calendar_events.management.migrating import BATCH_SIZE, in_batches


def change(batch):
    # Filled twice it would be there twice.
    batch.update(subtitle=Concat(Coalesce(F("subtitle"), Value("")), F("title")))


def fill(apps, schema_editor):
    events = apps.get_model("calendar_events", "Event").objects
    in_batches(
        events.using(schema_editor.connection.alias).filter(subtitle=None),
        change,
        name="fill_subtitles",
        batch_size=int(os.environ.get("BATCH_OF_THE_TEST", BATCH_SIZE)),
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("calendar_events", "9001_subtitle")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
