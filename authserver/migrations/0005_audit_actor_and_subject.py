# ``login`` was sometimes who did it and sometimes whose account it was, and then who did it
# stood in ``details``. The record is append-only, so its triggers are dropped before the
# columns are filled and created again after (SQLite rebuilds the table, which drops them too).

from importlib import import_module

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.fields.json import KT

initial = import_module("authserver.migrations.0001_initial")

OF_NO_ACCOUNT = [
    "key_created",
    "key_changed",
    "key_deleted",
    "secret_created",
    "secret_rotated",
    "secret_retired",
    "institution_changed",
]
BY_A_CLIENT = [
    "token_issued",
    "token_refreshed",
    "token_revoked",
    "code_replayed",
    "code_burned",
    "refresh_replayed",
]
BY_SOMEBODY = ["login_failed", "login_locked"]


def fill(apps, schema_editor):
    rows = apps.get_model("authserver", "AuditEvent").objects.using(
        schema_editor.connection.alias
    )
    named = Q(details__has_key="by")
    rows.filter(named).update(actor=KT("details__by"), subject=F("login"))
    rows.filter(~named, action__in=OF_NO_ACCOUNT).update(actor=F("login"))
    rows.filter(~named, action__in=BY_A_CLIENT).update(
        actor=F("client_id"), subject=F("login")
    )
    rows.filter(~named, action__in=BY_SOMEBODY).update(subject=F("login"))
    rows.filter(~named).exclude(
        action__in=[*OF_NO_ACCOUNT, *BY_A_CLIENT, *BY_SOMEBODY]
    ).update(actor=F("login"), subject=F("login"))


def empty(apps, schema_editor):
    rows = apps.get_model("authserver", "AuditEvent").objects.using(
        schema_editor.connection.alias
    )
    rows.update(login=F("subject"))
    rows.filter(action__in=OF_NO_ACCOUNT).update(login=F("actor"))


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0004_audit_of_institutions_and_unlocking"),
    ]

    operations = [
        migrations.RunPython(initial.unguard_audit, initial.guard_audit),
        migrations.AddField(
            model_name="auditevent",
            name="actor",
            field=models.CharField(blank=True, default="", max_length=255),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="auditevent",
            name="subject",
            field=models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="auditevent",
            name="reason",
            field=models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(fill, empty),
        migrations.RemoveIndex(model_name="auditevent", name="audit_by_login"),
        migrations.RemoveField(model_name="auditevent", name="login"),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["actor", "-id"], name="audit_by_actor"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["subject", "-id"], name="audit_by_subject"),
        ),
        migrations.RunPython(initial.guard_audit, initial.unguard_audit),
    ]
