"""Failed logins are authserver's own: who might see those of django-axes sees these.

On a new database nobody might, so the roles get the permissions by their names.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

SEE = ("platform operator", "auditor", "institution administrator")
LIFT = ("platform operator", "institution administrator")
VERBS = {"view": SEE, "delete": LIFT}


def replace(apps, schema_editor):
    # Django makes permissions after the last migration; the groups need them now.
    app_config = apps.get_app_config("authserver")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    permissions = apps.get_model("auth", "Permission").objects
    of_axes = permissions.filter(content_type__app_label="axes")
    was_installed = of_axes.exists()
    for verb, roles in VERBS.items():
        new = permissions.get(
            content_type__app_label="authserver", codename=f"{verb}_loginfailure"
        )
        for old in of_axes.filter(codename=f"{verb}_accessfailurelog"):
            new.group_set.add(*old.group_set.all())
            new.user_set.add(*old.user_set.all())
        if not was_installed:
            groups = apps.get_model("auth", "Group").objects.filter(name__in=roles)
            new.group_set.add(*groups)
    of_axes.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0008_login_failures"),
        ("config", "0001_roles"),
    ]
    operations = [migrations.RunPython(replace, migrations.RunPython.noop)]
