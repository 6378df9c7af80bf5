# What was granted through an account, a key or an institution never works again once that was
# switched off. While it is off every step asks, and says in the contract's words what ended; so
# the codes, tokens, requests and sessions of before are ended when it is switched on again, with
# whatever a request under way issued meanwhile. Triggers, so that it holds however the row was
# changed: in the admin, by save() or update(), by hand.
#
# A migration that rebuilds one of these tables on SQLite must drop the triggers before and
# create them after.

from django.db import migrations

NOW = {"postgresql": "now()", "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 'now')"}

REQUESTS = """
UPDATE authserver_pendingrequest SET consumed_at = {now}
WHERE {whose} AND consumed_at IS NULL;"""
# In the order in which a withdrawal in authserver/authorization/consents.py locks the rows.
CODES_AND_TOKENS = """
UPDATE authserver_grant SET redeemed_at = {now}
WHERE {whose} AND redeemed_at IS NULL;
UPDATE authserver_refreshtoken SET revoked = {now}
WHERE {whose} AND revoked IS NULL;
UPDATE authserver_accesstoken SET revoked_at = {now}
WHERE {whose} AND revoked_at IS NULL;"""
OWN_SESSIONS = """
DELETE FROM authserver_session WHERE user_id = NEW.id;"""
SESSIONS_THERE = """
DELETE FROM authserver_session
WHERE user_id IN (SELECT id FROM authserver_user WHERE institution_id = NEW.id);"""

# Table: what its trigger watches, when it fires, what it ends of whom.
TRIGGERS = {
    # Who comes back to an institution has been away from it, like who was disabled.
    "authserver_user": (
        "is_active, institution_id",
        "NEW.is_active AND (NOT OLD.is_active"
        " OR COALESCE(OLD.institution_id, 0) <> COALESCE(NEW.institution_id, 0))",
        (CODES_AND_TOKENS, OWN_SESSIONS),
        "user_id = NEW.id AND institution_id = NEW.institution_id",
    ),
    "authserver_servicekey": (
        "status",
        "NEW.status = 'active' AND OLD.status <> 'active'",
        (REQUESTS.replace("{whose}", "key_id = NEW.id"), CODES_AND_TOKENS),
        "application_id = NEW.id",
    ),
    "authserver_institution": (
        "is_active",
        "NEW.is_active AND NOT OLD.is_active",
        (REQUESTS, CODES_AND_TOKENS, SESSIONS_THERE),
        "institution_id = NEW.id",
    ),
}
POSTGRESQL = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
{body}
    RETURN NULL;
END $$;
CREATE TRIGGER {name} AFTER UPDATE OF {columns} ON {table} FOR EACH ROW
WHEN ({switched}) EXECUTE FUNCTION {name}();
"""
SQLITE = """
CREATE TRIGGER {name} AFTER UPDATE OF {columns} ON {table}
WHEN {switched}
BEGIN {body} END
"""
STATEMENT = {"postgresql": POSTGRESQL, "sqlite": SQLITE}


def create(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table, (columns, switched, endings, whose) in TRIGGERS.items():
        schema_editor.execute(
            STATEMENT[vendor].format(
                name=f"{table}_starts_anew",
                table=table,
                columns=columns,
                switched=switched,
                body="".join(endings).format(now=NOW[vendor], whose=whose),
            )
        )


def drop(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table in TRIGGERS:
        name = f"{table}_starts_anew"
        if vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
        else:
            schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0002_sessions_by_user"),
    ]

    operations = [
        migrations.RunPython(create, drop),
    ]
