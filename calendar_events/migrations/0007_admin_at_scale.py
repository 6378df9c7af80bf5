"""Indexes for the pages of admin: the month, and what was deleted."""

from django.db import migrations, models

KINDS = ("event", "organizer", "venue")


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0006_image_alternative_text")]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["start_local", "id"], name="event_start_local"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["end_local", "start_local"], name="event_end_local"),
        ),
        # The tables of states are the library's, which lets nobody declare an index.
        *(
            migrations.RunSQL(
                f"CREATE INDEX {kind}_deleted ON calendar_events_historical{kind}"
                " (history_id) WHERE history_type = '-'",
                f"DROP INDEX {kind}_deleted",
            )
            for kind in KINDS
        ),
    ]
