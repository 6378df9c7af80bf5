"""The table that limits are counted in, unless CACHE_URL names another cache."""

from django.core.management import call_command
from django.db import migrations


def create(apps, schema_editor):
    call_command(
        "createcachetable",
        "shared_cache",
        database=schema_editor.connection.alias,
        verbosity=0,
    )


class Migration(migrations.Migration):
    atomic = False  # whatever was done already may be done again

    dependencies = [("config", "0006_no_permissions_of_jobs")]
    run_before = [("authserver", "0020_failed_logins_are_counted_in_the_cache")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
