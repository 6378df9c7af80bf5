"""Triggers that also count listed events by the month, so that long windows are short sums.

A default list spans two years: some seventy rows instead of seven hundred. Months are kept
for all events and for each institution's, not for terms, whose sums are shorter anyway.

On SQLite a later migration that rebuilds the table of events must call ``install`` again,
as ``0002_counters`` says.
"""

import importlib

from django.db import migrations, models

counters = importlib.import_module("calendar_events.migrations.0002_counters")

MONTHS = """
        UNION ALL
        SELECT 'month:' || scope,
            date_trunc('month', start_utc AT TIME ZONE 'UTC')::date, sum(delta)
        FROM deltas GROUP BY 1, 2 HAVING sum(delta) <> 0
    LOOP"""
FILL = """
INSERT INTO calendar_events_daycount (scope, day, number)
SELECT 'month:' || scope, {month}, SUM(number) FROM calendar_events_daycount
WHERE (scope = 'all' OR scope LIKE 'institution:%') AND day <> '0001-01-01'
GROUP BY 1, 2 HAVING SUM(number) <> 0
"""
OPERATIONS = ("insert", "update", "delete")


def install_postgres(execute):
    """Count months where the days are counted, in the same statement."""
    for operation in OPERATIONS:
        text = counters.postgres_statement_trigger("event", operation)
        execute(text.replace("\n    LOOP", MONTHS))


def install_sqlite(execute):
    """Count months in triggers of their own."""
    scopes, condition = counters.SQLITE_SCOPES["event"]
    for operation, row, change in (
        ("insert", "NEW", counters.sqlite_raise),
        ("update", "OLD", counters.sqlite_lower),
        ("update", "NEW", counters.sqlite_raise),
        ("delete", "OLD", counters.sqlite_lower),
    ):
        month = f"substr({row}.start_utc, 1, 7) || '-01'"
        body = "".join(
            change(f"'month:' || {scope.format(row=row)}", month) for scope in scopes
        )
        name = f"calendar_events_count_month_{operation}_{row.lower()}"
        execute(f"DROP TRIGGER IF EXISTS {name}")
        execute(
            f"CREATE TRIGGER {name} AFTER {operation.upper()} ON calendar_events_event "
            f"WHEN {condition.format(row=row)} BEGIN {body} END"
        )


def install(apps, schema_editor):
    """Install the triggers of this database's kind."""
    if schema_editor.connection.vendor == "postgresql":
        install_postgres(schema_editor.execute)
    elif schema_editor.connection.vendor == "sqlite":
        install_sqlite(schema_editor.execute)


def widen(apps, schema_editor):
    """Make room for any institution's identifier; SQLite does not count characters."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "ALTER TABLE calendar_events_daycount ALTER COLUMN scope TYPE varchar(100)"
        )


def begin(apps, schema_editor):
    """Count the months that there are; who writes meanwhile waits, then counts his own."""
    is_postgres = schema_editor.connection.vendor == "postgresql"
    if is_postgres:
        schema_editor.execute(
            "LOCK TABLE calendar_events_event IN SHARE ROW EXCLUSIVE MODE"
        )
    install(apps, schema_editor)
    month = "date_trunc('month', day)::date" if is_postgres else "substr(day, 1, 7) || '-01'"
    schema_editor.execute(FILL.format(month=month), params=None)


def end(apps, schema_editor):
    """Count days alone again."""
    execute = schema_editor.execute
    if schema_editor.connection.vendor == "postgresql":
        for operation in OPERATIONS:
            execute(counters.postgres_statement_trigger("event", operation))
    else:
        for operation, row in (
            ("insert", "new"),
            ("update", "old"),
            ("update", "new"),
            ("delete", "old"),
        ):
            execute(f"DROP TRIGGER IF EXISTS calendar_events_count_month_{operation}_{row}")
    execute("DELETE FROM calendar_events_daycount WHERE scope LIKE 'month:%'", params=None)


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0007_search_text_inline")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="daycount",
                    name="scope",
                    field=models.CharField(max_length=100),
                ),
            ],
            database_operations=[
                migrations.RunPython(widen, migrations.RunPython.noop, elidable=False)
            ],
        ),
        migrations.RunPython(begin, end, elidable=False),
    ]
