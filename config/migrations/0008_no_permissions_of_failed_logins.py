"""Permissions of failed logins, which authserver 0020 removed, go from the roles."""

from django.db import migrations

FAILURES = {"app_label": "authserver", "model": "loginfailure"}


def delete(apps, schema_editor):
    apps.get_model("contenttypes", "ContentType").objects.filter(**FAILURES).delete()


class Migration(migrations.Migration):
    atomic = False  # the statement may be repeated

    dependencies = [
        ("authserver", "0020_failed_logins_are_counted_in_the_cache"),
        ("config", "0007_shared_cache"),
    ]
    operations = [migrations.RunPython(delete, migrations.RunPython.noop)]
