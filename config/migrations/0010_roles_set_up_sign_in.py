"""Who looks after accounts sets up how people sign in; auditors see it."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

SEEN = ("view_signinmethod", "view_rolerule", "view_signinrules")
CHANGED = (
    *(f"{verb}_signinmethod" for verb in ("add", "change", "delete")),
    *(f"{verb}_rolerule" for verb in ("add", "change", "delete")),
    *(f"{verb}_signinrules" for verb in ("add", "change")),
)
ROLES = {
    "platform operator": SEEN + CHANGED,
    "institution administrator": SEEN + CHANGED,
    "auditor": SEEN,
}


def _named(apps, codenames):
    return apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="authserver", codename__in=codenames
    )


def give(apps, schema_editor):
    app_config = apps.get_app_config("authserver")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    for group in apps.get_model("auth", "Group").objects.filter(name__in=ROLES):
        group.permissions.add(*_named(apps, ROLES[group.name]))


def take(apps, schema_editor):
    for permission in _named(apps, SEEN + CHANGED):
        permission.group_set.clear()


class Migration(migrations.Migration):
    atomic = False  # whatever was done already may be done again

    dependencies = [
        ("authserver", "0023_sign_in_methods"),
        ("config", "0009_roles_of_webhooks"),
    ]
    operations = [migrations.RunPython(give, take)]
