"""The roles across the apps, with the permissions of today.

Frozen: what ``config.adapters.roles`` says later is for ``post_migrate`` and administrators.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

LABELS = ("auth", "authserver", "calendar_events")
ROLES = {'platform operator': ['auth.view_group',
                       'authserver.add_institution',
                       'authserver.add_keyinstitution',
                       'authserver.add_keyservice',
                       'authserver.add_service',
                       'authserver.add_servicekey',
                       'authserver.add_user',
                       'authserver.change_accesstoken',
                       'authserver.change_institution',
                       'authserver.change_keyinstitution',
                       'authserver.change_keyservice',
                       'authserver.change_refreshtoken',
                       'authserver.change_service',
                       'authserver.change_servicekey',
                       'authserver.change_user',
                       'authserver.delete_keyinstitution',
                       'authserver.delete_keyservice',
                       'authserver.view_accesstoken',
                       'authserver.view_auditevent',
                       'authserver.view_consent',
                       'authserver.view_grant',
                       'authserver.view_institution',
                       'authserver.view_keyinstitution',
                       'authserver.view_keyservice',
                       'authserver.view_pendingrequest',
                       'authserver.view_refreshtoken',
                       'authserver.view_refusalcount',
                       'authserver.view_service',
                       'authserver.view_servicekey',
                       'authserver.view_user',
                       'calendar_events.add_event',
                       'calendar_events.add_image',
                       'calendar_events.add_organizer',
                       'calendar_events.add_term',
                       'calendar_events.add_venue',
                       'calendar_events.change_event',
                       'calendar_events.change_image',
                       'calendar_events.change_organizer',
                       'calendar_events.change_others_event',
                       'calendar_events.change_others_organizer',
                       'calendar_events.change_others_venue',
                       'calendar_events.change_term',
                       'calendar_events.change_venue',
                       'calendar_events.delete_event',
                       'calendar_events.delete_image',
                       'calendar_events.delete_organizer',
                       'calendar_events.delete_others_event',
                       'calendar_events.delete_others_organizer',
                       'calendar_events.delete_others_venue',
                       'calendar_events.delete_term',
                       'calendar_events.delete_venue',
                       'calendar_events.manage_categories',
                       'calendar_events.manage_tags',
                       'calendar_events.publish_event',
                       'calendar_events.publish_organizer',
                       'calendar_events.publish_venue',
                       'calendar_events.read_unpublished_event',
                       'calendar_events.read_unpublished_organizer',
                       'calendar_events.read_unpublished_venue',
                       'calendar_events.view_event',
                       'calendar_events.view_image',
                       'calendar_events.view_organizer',
                       'calendar_events.view_term',
                       'calendar_events.view_venue'],
 'key manager': ['authserver.add_keyinstitution',
                 'authserver.add_keyservice',
                 'authserver.add_servicekey',
                 'authserver.change_accesstoken',
                 'authserver.change_keyinstitution',
                 'authserver.change_keyservice',
                 'authserver.change_refreshtoken',
                 'authserver.change_servicekey',
                 'authserver.delete_keyinstitution',
                 'authserver.delete_keyservice',
                 'authserver.view_accesstoken',
                 'authserver.view_auditevent',
                 'authserver.view_institution',
                 'authserver.view_keyinstitution',
                 'authserver.view_keyservice',
                 'authserver.view_refreshtoken',
                 'authserver.view_refusalcount',
                 'authserver.view_service',
                 'authserver.view_servicekey'],
 'auditor': ['auth.view_group',
             'authserver.view_accesstoken',
             'authserver.view_auditevent',
             'authserver.view_consent',
             'authserver.view_grant',
             'authserver.view_institution',
             'authserver.view_keyinstitution',
             'authserver.view_keyservice',
             'authserver.view_pendingrequest',
             'authserver.view_refreshtoken',
             'authserver.view_refusalcount',
             'authserver.view_service',
             'authserver.view_servicekey',
             'authserver.view_user',
             'calendar_events.read_unpublished_event',
             'calendar_events.read_unpublished_organizer',
             'calendar_events.read_unpublished_venue',
             'calendar_events.view_event',
             'calendar_events.view_image',
             'calendar_events.view_organizer',
             'calendar_events.view_term',
             'calendar_events.view_venue'],
 'institution administrator': ['authserver.add_user',
                               'authserver.change_accesstoken',
                               'authserver.change_refreshtoken',
                               'authserver.change_user',
                               'authserver.view_accesstoken',
                               'authserver.view_auditevent',
                               'authserver.view_consent',
                               'authserver.view_grant',
                               'authserver.view_institution',
                               'authserver.view_keyinstitution',
                               'authserver.view_keyservice',
                               'authserver.view_pendingrequest',
                               'authserver.view_refreshtoken',
                               'authserver.view_servicekey',
                               'authserver.view_user',
                               'calendar_events.add_event',
                               'calendar_events.add_image',
                               'calendar_events.add_organizer',
                               'calendar_events.add_term',
                               'calendar_events.add_venue',
                               'calendar_events.change_event',
                               'calendar_events.change_image',
                               'calendar_events.change_organizer',
                               'calendar_events.change_others_event',
                               'calendar_events.change_others_organizer',
                               'calendar_events.change_others_venue',
                               'calendar_events.change_term',
                               'calendar_events.change_venue',
                               'calendar_events.delete_event',
                               'calendar_events.delete_image',
                               'calendar_events.delete_organizer',
                               'calendar_events.delete_others_event',
                               'calendar_events.delete_others_organizer',
                               'calendar_events.delete_others_venue',
                               'calendar_events.delete_term',
                               'calendar_events.delete_venue',
                               'calendar_events.manage_categories',
                               'calendar_events.manage_tags',
                               'calendar_events.publish_event',
                               'calendar_events.publish_organizer',
                               'calendar_events.publish_venue',
                               'calendar_events.read_unpublished_event',
                               'calendar_events.read_unpublished_organizer',
                               'calendar_events.read_unpublished_venue',
                               'calendar_events.view_event',
                               'calendar_events.view_image',
                               'calendar_events.view_organizer',
                               'calendar_events.view_term',
                               'calendar_events.view_venue']}


def create(apps, schema_editor):
    # Django makes permissions after the last migration; the groups need them now.
    for label in LABELS:
        app_config = apps.get_app_config(label)
        app_config.models_module = True
        create_permissions(
            app_config, verbosity=0, using=schema_editor.connection.alias, apps=apps
        )
        app_config.models_module = None
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in apps.get_model("auth", "Permission")
        .objects.filter(content_type__app_label__in=LABELS)
        .select_related("content_type")
    }
    for name, wanted in ROLES.items():
        group, created = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        if created:
            group.permissions.set([permissions[each] for each in wanted])


def remove(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("authserver", "0007_session_keys_as_digests"),
        ("calendar_events", "0004_searches"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("oauth2_provider", "0022_refreshtoken_token_family_index"),
    ]
    operations = [migrations.RunPython(create, remove)]
