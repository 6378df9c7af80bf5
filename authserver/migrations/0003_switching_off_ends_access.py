# What was granted through an account, a key or an institution ends for good when that is
# switched off: nothing of it works again when it is switched on. Triggers, so that it holds
# however the row was changed: in the admin, by save() or update(), by hand. They fire at both
# switches, because a request under way may have issued a token just after the first.
#
# A migration that rebuilds one of these tables on SQLite must drop the triggers before and
# create them after.

from django.db import migrations

NOW = {"postgresql": "now()", "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 'now')"}

# Requests under way end only when it is switched on again: until then they tell the
# application why nothing comes of them.
REQUESTS = """
UPDATE authserver_pendingrequest SET consumed_at = {now}
WHERE {owner} = NEW.id AND consumed_at IS NULL AND {is_on};"""
# In the order in which a withdrawal in authserver/consents.py locks the rows.
CODES_AND_TOKENS = """
UPDATE authserver_grant SET redeemed_at = {now}
WHERE {owner} = NEW.id AND redeemed_at IS NULL;
UPDATE authserver_refreshtoken SET revoked = {now}
WHERE {owner} = NEW.id AND revoked IS NULL;
UPDATE authserver_accesstoken SET revoked_at = {now}
WHERE {owner} = NEW.id AND revoked_at IS NULL;"""
OWN_SESSIONS = """
DELETE FROM authserver_session WHERE user_id = NEW.id;"""
SESSIONS_THERE = """
DELETE FROM authserver_session
WHERE user_id IN (SELECT id FROM authserver_user WHERE institution_id = NEW.id);"""

POSTGRESQL = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
{body}
    RETURN NULL;
END $$;
CREATE TRIGGER {name} AFTER UPDATE OF {columns} ON {table} FOR EACH ROW
WHEN ({changed}) EXECUTE FUNCTION {name}();
"""
SQLITE = """
CREATE TRIGGER {name} AFTER UPDATE OF {columns} ON {table}
WHEN {changed}
BEGIN {body} END
"""
DIFFERS = {"postgresql": "IS DISTINCT FROM", "sqlite": "IS NOT"}


def bodies(vendor):
    """Return what each table's trigger watches and does."""
    codes_and_tokens = {
        owner: CODES_AND_TOKENS.format(now=NOW[vendor], owner=owner)
        for owner in ("user_id", "application_id", "institution_id")
    }
    requests = {
        owner: REQUESTS.format(now=NOW[vendor], owner=owner, is_on=is_on)
        for owner, is_on in (
            ("key_id", "NEW.status = 'active'"),
            ("institution_id", "NEW.is_active"),
        )
    }
    return {
        # An account that moves to another institution has left this one.
        "authserver_user": (
            ["is_active", "institution_id"],
            codes_and_tokens["user_id"] + OWN_SESSIONS,
        ),
        "authserver_servicekey": (
            ["status"],
            requests["key_id"] + codes_and_tokens["application_id"],
        ),
        "authserver_institution": (
            ["is_active"],
            requests["institution_id"] + codes_and_tokens["institution_id"] + SESSIONS_THERE,
        ),
    }


def create(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    statement = {"postgresql": POSTGRESQL, "sqlite": SQLITE}[vendor]
    for table, (columns, body) in bodies(vendor).items():
        schema_editor.execute(
            statement.format(
                name=f"{table}_ends_access",
                table=table,
                columns=", ".join(columns),
                changed=" OR ".join(
                    f"OLD.{column} {DIFFERS[vendor]} NEW.{column}" for column in columns
                ),
                body=body,
            )
        )


def drop(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table in bodies(vendor):
        name = f"{table}_ends_access"
        if vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
        else:
            schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):

    dependencies = [
        ('authserver', '0002_sessions_by_user'),
    ]

    operations = [
        migrations.RunPython(create, drop),
    ]
