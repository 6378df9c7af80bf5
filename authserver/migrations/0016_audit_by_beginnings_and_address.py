"""Indexes of the audit record that find beginnings, in place of two that do not.

What writes to the record waits while they are built; what reads it does not, for the old
ones, whose end locks everybody out, go last.
"""

from django.db import migrations, models

REPLACED = ("actor", "subject")


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0015_jobs"),
    ]

    operations = [
        *(
            migrations.RenameIndex(
                model_name="auditevent",
                old_name=f"audit_by_{column}",
                new_name=f"audit_by_{column}_before",
            )
            for column in REPLACED
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(
                fields=["actor", "-id"],
                name="audit_by_actor",
                opclasses=["varchar_pattern_ops", "int8_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(
                fields=["subject", "-id"],
                name="audit_by_subject",
                opclasses=["varchar_pattern_ops", "int8_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["address", "-id"], name="audit_by_address"),
        ),
        *(
            migrations.RemoveIndex(
                model_name="auditevent", name=f"audit_by_{column}_before"
            )
            for column in REPLACED
        ),
    ]
