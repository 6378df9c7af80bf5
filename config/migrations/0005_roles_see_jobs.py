"""Operators and auditors see the exports and changes that others asked for, as other tasks."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

ROLES = ("platform operator", "auditor")
NAMED = {"content_type__app_label": "authserver", "codename": "view_job"}


def give(apps, schema_editor):
    app_config = apps.get_app_config("authserver")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    # None where the jobs were taken out again before this ran (authserver 0018).
    permission = apps.get_model("auth", "Permission").objects.filter(**NAMED).first()
    for group in apps.get_model("auth", "Group").objects.filter(name__in=ROLES):
        if permission is not None:
            group.permissions.add(permission)


def take(apps, schema_editor):
    for permission in apps.get_model("auth", "Permission").objects.filter(**NAMED):
        permission.group_set.clear()


class Migration(migrations.Migration):
    atomic = False  # each statement may be repeated

    dependencies = [
        ("authserver", "0015_jobs"),
        ("config", "0004_roles_see_password_links"),
    ]
    operations = [migrations.RunPython(give, take)]
