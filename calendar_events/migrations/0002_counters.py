"""Triggers that keep ``DayCount``: exact totals that do not grow with the calendar.

On SQLite a later migration that rebuilds one of these tables drops its triggers and must call
``install`` again; ``tests/test_counters.py`` notices when one forgets.
"""

from django.db import migrations

TABLES = ("event", "venue", "organizer", "term")

# A row of the scope and day that nobody else holds is raised in place (a HOT update), and
# takes up the others that nobody holds; when every one is held a new row is added. Writers
# never wait for each other here, so they cannot deadlock.
POSTGRES_COUNT = """
CREATE OR REPLACE FUNCTION calendar_events_count(p_scope text, p_day date, p_delta bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held bigint[];
BEGIN
    SELECT array_agg(h.id) INTO held FROM (
        SELECT id FROM calendar_events_daycount
        WHERE scope = p_scope AND day = p_day FOR UPDATE SKIP LOCKED
    ) h;
    IF held IS NULL THEN
        INSERT INTO calendar_events_daycount (scope, day, number)
        VALUES (p_scope, p_day, p_delta);
        RETURN;
    END IF;
    UPDATE calendar_events_daycount SET number = p_delta + (
        SELECT sum(number) FROM calendar_events_daycount WHERE id = ANY (held)
    ) WHERE id = held[1];
    DELETE FROM calendar_events_daycount WHERE id = ANY (held[2:]);
END $$;

CREATE OR REPLACE FUNCTION calendar_events_count_write()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM calendar_events_count('writes', DATE '0001-01-01', 1);
    RETURN NULL;
END $$;
"""

# One row per scope of every listed event or link, for the day and for the whole.
SCOPES = {
    "event": """
        SELECT unnest(ARRAY['all', 'institution:' || institution]) AS scope, start_utc
        FROM {table} WHERE status = 'publish' AND NOT hide_from_listings
    """,
    "eventterm": """
        SELECT 'term:' || term_id AS scope, start_utc FROM {table} WHERE listed
    """,
}


def postgres_statement_trigger(table, operation):
    """Count what one statement added and took away, however many rows it had."""
    added = SCOPES[table].format(table="added")
    taken = SCOPES[table].format(table="taken")
    parts = {
        "insert": (("added", "NEW", added, 1),),
        "delete": (("taken", "OLD", taken, -1),),
        "update": (("taken", "OLD", taken, -1), ("added", "NEW", added, 1)),
    }[operation]
    union = " UNION ALL ".join(
        f"SELECT scope, start_utc, {sign} AS delta FROM ({query}) AS q{index}"
        for index, (_, _, query, sign) in enumerate(parts)
    )
    referencing = " ".join(f"{which} TABLE AS {name}" for name, which, _, _ in parts)
    name = f"calendar_events_count_{table}_{operation}"
    return f"""
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    FOR r IN
        WITH deltas AS ({union})
        SELECT scope, (start_utc AT TIME ZONE 'UTC')::date AS day, sum(delta) AS delta
        FROM deltas GROUP BY 1, 2 HAVING sum(delta) <> 0
        UNION ALL
        SELECT scope, DATE '0001-01-01', sum(delta)
        FROM deltas GROUP BY 1 HAVING sum(delta) <> 0
    LOOP
        PERFORM calendar_events_count(r.scope, r.day, r.delta);
    END LOOP;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS {name} ON calendar_events_{table};
CREATE TRIGGER {name} AFTER {operation.upper()} ON calendar_events_{table}
    REFERENCING {referencing} FOR EACH STATEMENT EXECUTE FUNCTION {name}();
"""


def install_postgres(execute):
    """Install the statement triggers."""
    execute(POSTGRES_COUNT)
    for table in SCOPES:
        for operation in ("insert", "update", "delete"):
            execute(postgres_statement_trigger(table, operation))
    for table in TABLES:
        name = f"calendar_events_count_write_{table}"
        execute(f"DROP TRIGGER IF EXISTS {name} ON calendar_events_{table}")
        execute(
            f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE "
            f"ON calendar_events_{table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_write()"
        )


def sqlite_raise(scope, day):
    """Add one, making the row when it is the first."""
    return f"""
        INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT {scope}, {day}, 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = {scope} AND day = {day});
        UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = {scope} AND day = {day};
    """


def sqlite_lower(scope, day):
    """Take one away; the row is there, unless the whole database is being emptied."""
    return f"""
        UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = {scope} AND day = {day};
    """


SQLITE_SCOPES = {
    "event": (
        ("'all'", "'institution:' || {row}.institution"),
        "{row}.status = 'publish' AND NOT {row}.hide_from_listings",
    ),
    "eventterm": (("'term:' || {row}.term_id",), "{row}.listed"),
}


def install_sqlite(execute):
    """Install row triggers; SQLite has no others, and one writer at a time."""
    for table, (scopes, condition) in SQLITE_SCOPES.items():
        for operation, row, change in (
            ("insert", "NEW", sqlite_raise),
            ("update", "OLD", sqlite_lower),
            ("update", "NEW", sqlite_raise),
            ("delete", "OLD", sqlite_lower),
        ):
            body = "".join(
                change(scope.format(row=row), day)
                for scope in scopes
                for day in (f"substr({row}.start_utc, 1, 10)", "'0001-01-01'")
            )
            name = f"calendar_events_count_{table}_{operation}_{row.lower()}"
            execute(f"DROP TRIGGER IF EXISTS {name}")
            execute(
                f"CREATE TRIGGER {name} AFTER {operation.upper()} "
                f"ON calendar_events_{table} WHEN {condition.format(row=row)} "
                f"BEGIN {body} END"
            )
    for table in TABLES:
        for operation in ("insert", "update", "delete"):
            name = f"calendar_events_count_write_{table}_{operation}"
            execute(f"DROP TRIGGER IF EXISTS {name}")
            execute(
                f"CREATE TRIGGER {name} AFTER {operation.upper()} "
                f"ON calendar_events_{table} "
                f"BEGIN {sqlite_raise(chr(39) + 'writes' + chr(39), chr(39) + '0001-01-01' + chr(39))} END"
            )


def install(apps, schema_editor):
    """Install the triggers of this database's kind."""
    if schema_editor.connection.vendor == "postgresql":
        install_postgres(schema_editor.execute)
    elif schema_editor.connection.vendor == "sqlite":
        install_sqlite(schema_editor.execute)


def remove(apps, schema_editor):
    """Remove them; on SQLite they go with their tables."""
    if schema_editor.connection.vendor != "postgresql":
        return
    for table in SCOPES:
        for operation in ("insert", "update", "delete"):
            schema_editor.execute(
                f"DROP FUNCTION IF EXISTS calendar_events_count_{table}_{operation} CASCADE"
            )
    schema_editor.execute("DROP FUNCTION IF EXISTS calendar_events_count_write CASCADE")
    schema_editor.execute("DROP FUNCTION IF EXISTS calendar_events_count CASCADE")


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0001_initial")]
    operations = [migrations.RunPython(install, remove, elidable=False)]
