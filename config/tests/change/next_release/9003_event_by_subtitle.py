from django.db import migrations, models

from calendar_events.management.migrating import AddIndexWhileServing


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("calendar_events", "9002_fill_subtitles")]
    operations = [
        AddIndexWhileServing(
            "event", models.Index(fields=["subtitle"], name="event_by_subtitle")
        ),
    ]
