"""Permissions of password links, which authserver 0028 removed, go from the roles."""

from django.db import migrations

LINKS = {"app_label": "authserver", "model": "passwordlink"}


def delete(apps, schema_editor):
    apps.get_model("contenttypes", "ContentType").objects.filter(**LINKS).delete()


class Migration(migrations.Migration):
    atomic = False  # the statement may be repeated

    dependencies = [
        ("authserver", "0028_links_without_rows"),
        ("config", "0010_roles_set_up_sign_in"),
    ]
    operations = [migrations.RunPython(delete, migrations.RunPython.noop)]
