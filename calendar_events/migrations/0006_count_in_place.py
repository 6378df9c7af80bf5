"""Counting raises its one row where it stands: no sum, nothing to clear away.

Only where writers met are there several rows of a scope and day, and only then are they
summed up and merged. Halves what a created event costs the database.
"""

from django.db import migrations

COUNT = """
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
    IF cardinality(held) = 1 THEN
        UPDATE calendar_events_daycount SET number = number + p_delta WHERE id = held[1];
        RETURN;
    END IF;
    UPDATE calendar_events_daycount SET number = p_delta + (
        SELECT sum(number) FROM calendar_events_daycount WHERE id = ANY (held)
    ) WHERE id = held[1];
    DELETE FROM calendar_events_daycount WHERE id = ANY (held[2:]);
END $$;
"""


def replace(apps, schema_editor):
    """Replace the function; SQLite counts in its triggers."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(COUNT)


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0005_same_name_and_link_history")]
    operations = [migrations.RunPython(replace, migrations.RunPython.noop, elidable=False)]
