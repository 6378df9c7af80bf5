"""Permissions of the jobs, which authserver 0018 removed, go from the roles."""

from django.db import migrations

JOBS = {"app_label": "authserver", "model__in": ["job", "jobfilepart"]}


def delete(apps, schema_editor):
    apps.get_model("contenttypes", "ContentType").objects.filter(**JOBS).delete()


class Migration(migrations.Migration):
    atomic = False  # the statement may be repeated

    dependencies = [
        ("authserver", "0018_remove_jobs"),
        ("config", "0005_roles_see_jobs"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(delete, migrations.RunPython.noop)]
