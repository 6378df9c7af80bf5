# Sessions are stored under the digest of their key from here on. Those of before end: their
# rows hold keys that work as cookies, so the table goes and comes back empty. (Changing the
# column instead would rebuild the table on SQLite, below the triggers of 0003 that name it.)

import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0006_client_failures"),
    ]

    operations = [
        migrations.DeleteModel(
            name="Session",
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                ("session_data", models.TextField(verbose_name="session data")),
                (
                    "expire_date",
                    models.DateTimeField(db_index=True, verbose_name="expire date"),
                ),
                (
                    "session_key",
                    models.CharField(max_length=64, primary_key=True, serialize=False),
                ),
                ("user_id", models.BigIntegerField(editable=False, null=True)),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
                "indexes": [models.Index(fields=["user_id"], name="session_by_user")],
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(
                            django.db.models.functions.text.Length("session_key"), 64
                        ),
                        name="session_key_is_a_digest",
                    )
                ],
            },
        ),
    ]
