"""The groups editor, author, contributor and reader, with the permissions of today.

Frozen: what ``calendar_events.roles`` says later is for ``post_migrate`` and administrators.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

RECORDS = ("event", "venue", "organizer")
READER = [f"view_{record}" for record in (*RECORDS, "term", "image")]
CONTRIBUTOR = READER + [
    f"{verb}_{record}" for verb in ("add", "change", "delete") for record in RECORDS
]
AUTHOR = CONTRIBUTOR + [f"publish_{record}" for record in RECORDS] + ["add_image"]
EDITOR = (
    AUTHOR
    + [
        f"{verb}_{record}"
        for verb in ("change_others", "delete_others", "read_unpublished")
        for record in RECORDS
    ]
    + [f"{verb}_term" for verb in ("add", "change", "delete")]
    + [f"{verb}_image" for verb in ("change", "delete")]
    + ["manage_categories", "manage_tags"]
)
ROLES = {
    "editor": EDITOR,
    "author": AUTHOR,
    "contributor": CONTRIBUTOR,
    "reader": READER,
}


def create(apps, schema_editor):
    # Django makes permissions after the last migration; the groups need them now.
    app_config = apps.get_app_config("calendar_events")
    app_config.models_module = True
    create_permissions(
        app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    app_config.models_module = None
    permissions = apps.get_model("auth", "Permission").objects
    for name, codenames in ROLES.items():
        group, created = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        if created:
            group.permissions.set(
                permissions.filter(
                    content_type__app_label="calendar_events", codename__in=codenames
                )
            )


def remove(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    replaces = [("calendar_events", "0004_groups")]
    dependencies = [
        ("calendar_events", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(create, remove)]
