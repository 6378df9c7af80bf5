"""Who runs an institution or the platform looks after webhooks; auditors see them.

A role that is not there stays away, and one that has more keeps it.
"""

from django.db import migrations

SEEN = ["view_webhooksubscription", "view_webhookdelivery"]
ALL = [
    *SEEN,
    *(f"{verb}_webhooksubscription" for verb in ("add", "change", "delete")),
    "change_webhookdelivery",
]
GIVEN = {
    "platform operator": ALL,
    "institution administrator": ALL,
    "auditor": SEEN,
}


def give(apps, schema_editor):
    permissions = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="calendar_events"
    )
    for name, codenames in GIVEN.items():
        for group in apps.get_model("auth", "Group").objects.filter(name=name):
            group.permissions.add(*permissions.filter(codename__in=codenames))


def take(apps, schema_editor):
    permissions = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="calendar_events", codename__in=ALL
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GIVEN):
        group.permissions.remove(*permissions)


class Migration(migrations.Migration):
    atomic = False  # whatever was done already may be done again

    dependencies = [
        ("calendar_events", "0016_roles_of_webhooks"),
        ("config", "0008_no_permissions_of_failed_logins"),
    ]
    operations = [migrations.RunPython(give, take)]
