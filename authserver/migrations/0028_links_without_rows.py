"""Links to choose a password have no rows any more.

The table stays for servers of the version before, without references to accounts and
institutions, which are deleted without it from now on. The next release drops it.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0027_links_end_when_switched_on"),
    ]

    operations = [
        migrations.AlterField(
            model_name="passwordlink",
            name="institution",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="authserver.institution",
            ),
        ),
        migrations.AlterField(
            model_name="passwordlink",
            name="user",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="password_links",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="PasswordLink")]
        ),
    ]
