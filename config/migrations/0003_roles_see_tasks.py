"""Operators and auditors see background tasks; operators try failed ones again.

A role that is not there stays away, and one that has more keeps it.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

LABEL = "django_tasks_database"
GIVEN = {
    "platform operator": ["view_dbtaskresult", "change_dbtaskresult"],
    "auditor": ["view_dbtaskresult"],
}


def give(apps, schema_editor):
    app_config = apps.get_app_config(LABEL)
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label=LABEL
    )
    for name, codenames in GIVEN.items():
        for group in apps.get_model("auth", "Group").objects.filter(name=name):
            group.permissions.add(*permissions.filter(codename__in=codenames))


def take(apps, schema_editor):
    permissions = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label=LABEL
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GIVEN):
        group.permissions.remove(*permissions)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0002_failed_logins"),
        ("django_tasks_database", "0021_conditional_partial_index_ordering"),
    ]
    operations = [migrations.RunPython(give, take)]
