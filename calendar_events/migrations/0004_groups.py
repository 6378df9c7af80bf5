"""The groups editor, author, contributor and reader with their permissions."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

from calendar_events import roles


def create(apps, schema_editor):
    # Django makes permissions after the last migration; the groups need them now.
    app_config = apps.get_app_config("calendar_events")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    roles.create_missing_groups(
        apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    )


def remove(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=roles.ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("calendar_events", "0003_search_indexes"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(create, remove)]
