from django.db import migrations, models

from config.tests.change.present import LAST


class Migration(migrations.Migration):
    dependencies = [("calendar_events", LAST)]
    operations = [
        migrations.AddField(
            "event", "subtitle", models.CharField(max_length=200, null=True)
        ),
    ]
