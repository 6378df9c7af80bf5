"""Who looks after accounts sees whether messages were sent; auditors do, too."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

ROLES = ("platform operator", "auditor", "institution administrator")
NAMED = {"content_type__app_label": "authserver", "codename": "view_passwordlink"}


def give(apps, schema_editor):
    app_config = apps.get_app_config("authserver")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    permission = apps.get_model("auth", "Permission").objects.get(**NAMED)
    for group in apps.get_model("auth", "Group").objects.filter(name__in=ROLES):
        group.permissions.add(permission)


def take(apps, schema_editor):
    for permission in apps.get_model("auth", "Permission").objects.filter(**NAMED):
        permission.group_set.clear()


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0013_password_links"),
        ("config", "0003_roles_see_tasks"),
    ]
    operations = [migrations.RunPython(give, take)]
