"""An index of trigrams for what admin searches in accounts, on PostgreSQL.

Its expressions are those of Django's ``icontains``. SQLite has nothing like it, and reads
the rows.
"""

from django.db import migrations

COLUMNS = ("login", "full_name", "email", "principal_id")


def install(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    parts = ", ".join(f"upper({column}::text) gin_trgm_ops" for column in COLUMNS)
    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")  # a trusted one
    schema_editor.execute(
        f"CREATE INDEX user_search ON authserver_user USING gin ({parts})"
    )


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX user_search")


class Migration(migrations.Migration):
    dependencies = [("authserver", "0016_audit_by_beginnings_and_address")]
    operations = [migrations.RunPython(install, remove)]
