"""Editors look after webhooks.

A role that is not there stays away, and one that has more keeps it.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

GIVEN = [
    *(f"{verb}_webhooksubscription" for verb in ("view", "add", "change", "delete")),
    *(f"{verb}_webhookdelivery" for verb in ("view", "change")),
]


def _permissions(apps):
    return apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="calendar_events", codename__in=GIVEN
    )


def give(apps, schema_editor):
    app_config = apps.get_app_config("calendar_events")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    for group in apps.get_model("auth", "Group").objects.filter(name="editor"):
        group.permissions.add(*_permissions(apps))


def take(apps, schema_editor):
    for group in apps.get_model("auth", "Group").objects.filter(name="editor"):
        group.permissions.remove(*_permissions(apps))


class Migration(migrations.Migration):
    atomic = False  # whatever was done already may be done again

    dependencies = [
        ("calendar_events", "0015_webhooks"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(give, take)]
