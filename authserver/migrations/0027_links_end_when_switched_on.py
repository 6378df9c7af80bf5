"""Accounts and institutions that are switched on again say when: links of before end."""

from importlib import import_module

from django.db import migrations, transaction

anew = import_module("authserver.migrations.0003_switching_on_starts_anew")
links = import_module("authserver.migrations.0013_password_links")

DATED = """
UPDATE {table} SET switched_on_at = {now} WHERE id = NEW.id;"""
REPLACE_FUNCTION = """
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
{body}
    RETURN NULL;
END $$;
"""


def replace(apps, schema_editor):
    """One statement replaces a trigger's function; SQLite makes the trigger anew."""
    vendor = schema_editor.connection.vendor
    for table in ("authserver_user", "authserver_institution"):
        columns, switched, endings, whose = anew.TRIGGERS[table]
        name = f"{table}_starts_anew"
        body = "".join((*endings, DATED)).format(
            now=anew.NOW[vendor], whose=whose, table=table
        )
        if vendor == "postgresql":
            schema_editor.execute(REPLACE_FUNCTION.format(name=name, body=body))
            continue
        with transaction.atomic(using=schema_editor.connection.alias):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")
            schema_editor.execute(
                anew.SQLITE.format(
                    name=name, table=table, columns=columns, switched=switched, body=body
                )
            )


def restore(apps, schema_editor):
    anew.drop(apps, schema_editor)
    links.create(apps, schema_editor)


class Migration(migrations.Migration):
    atomic = False  # each trigger may be replaced again

    dependencies = [("authserver", "0026_switched_on_at")]

    operations = [migrations.RunPython(replace, restore)]
