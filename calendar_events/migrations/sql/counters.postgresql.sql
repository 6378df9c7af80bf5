-- Exact totals that do not grow with the calendar: calendar_events_daycount, one row for a
-- scope and a day (0001-01-01: the whole; months under "month:").
--
-- A row of the scope and day that nobody else holds is raised in place (a HOT update), and
-- takes up the others that nobody holds; when every one is held a new row is added. Writers
-- never wait for each other here, so they cannot deadlock.

CREATE FUNCTION calendar_events_count(p_scope text, p_day date, p_delta bigint)
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

-- What a statement took away and added, by scope and start. What comes to nothing is left.
CREATE FUNCTION calendar_events_count_starts(
    taken text[], taken_at timestamptz[], added text[], added_at timestamptz[],
    by_month boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    FOR r IN
        WITH deltas AS (
            SELECT scope, (start_utc AT TIME ZONE 'UTC')::date AS day, delta FROM (
                SELECT scope, start_utc, -1 AS delta
                FROM unnest(taken, taken_at) AS t(scope, start_utc)
                UNION ALL
                SELECT scope, start_utc, 1
                FROM unnest(added, added_at) AS a(scope, start_utc)) AS both_of_them)
        SELECT scope, day, sum(delta) AS delta
        FROM deltas GROUP BY 1, 2 HAVING sum(delta) <> 0
        UNION ALL
        SELECT scope, DATE '0001-01-01', sum(delta)
        FROM deltas GROUP BY 1 HAVING sum(delta) <> 0
        UNION ALL
        SELECT 'month:' || scope, date_trunc('month', day)::date, sum(delta)
        FROM deltas WHERE by_month GROUP BY 1, 2 HAVING sum(delta) <> 0
    LOOP
        PERFORM calendar_events_count(r.scope, r.day, r.delta);
    END LOOP;
END $$;

CREATE FUNCTION calendar_events_count_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before text[]; before_at timestamptz[]; later text[]; later_at timestamptz[];
BEGIN
    IF TG_OP <> 'INSERT' THEN
        SELECT array_agg(scope), array_agg(start_utc) INTO before, before_at
        FROM taken, unnest(ARRAY['all', 'institution:' || institution]) AS scope
        WHERE status = 'publish' AND NOT hide_from_listings;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        SELECT array_agg(scope), array_agg(start_utc) INTO later, later_at
        FROM added, unnest(ARRAY['all', 'institution:' || institution]) AS scope
        WHERE status = 'publish' AND NOT hide_from_listings;
    END IF;
    PERFORM calendar_events_count_starts(before, before_at, later, later_at, true);
    RETURN NULL;
END $$;

CREATE FUNCTION calendar_events_count_eventterm() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before text[]; before_at timestamptz[]; later text[]; later_at timestamptz[];
BEGIN
    IF TG_OP <> 'INSERT' THEN
        SELECT array_agg('term:' || term_id), array_agg(start_utc) INTO before, before_at
        FROM taken WHERE listed;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        SELECT array_agg('term:' || term_id), array_agg(start_utc) INTO later, later_at
        FROM added WHERE listed;
    END IF;
    PERFORM calendar_events_count_starts(before, before_at, later, later_at, false);
    RETURN NULL;
END $$;

CREATE TRIGGER calendar_events_count_event_insert AFTER INSERT ON calendar_events_event
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_event();
CREATE TRIGGER calendar_events_count_event_update AFTER UPDATE ON calendar_events_event
    REFERENCING OLD TABLE AS taken NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_event();
CREATE TRIGGER calendar_events_count_event_delete AFTER DELETE ON calendar_events_event
    REFERENCING OLD TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_event();
CREATE TRIGGER calendar_events_count_eventterm_insert AFTER INSERT ON calendar_events_eventterm
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_eventterm();
CREATE TRIGGER calendar_events_count_eventterm_update AFTER UPDATE ON calendar_events_eventterm
    REFERENCING OLD TABLE AS taken NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_eventterm();
CREATE TRIGGER calendar_events_count_eventterm_delete AFTER DELETE ON calendar_events_eventterm
    REFERENCING OLD TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_eventterm();

-- How often any of these has been written: the version of every list.
CREATE FUNCTION calendar_events_count_write()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM calendar_events_count('writes', DATE '0001-01-01', 1);
    RETURN NULL;
END $$;
CREATE TRIGGER calendar_events_count_write_event
    AFTER INSERT OR UPDATE OR DELETE ON calendar_events_event
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_write();
CREATE TRIGGER calendar_events_count_write_venue
    AFTER INSERT OR UPDATE OR DELETE ON calendar_events_venue
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_write();
CREATE TRIGGER calendar_events_count_write_organizer
    AFTER INSERT OR UPDATE OR DELETE ON calendar_events_organizer
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_write();
CREATE TRIGGER calendar_events_count_write_term
    AFTER INSERT OR UPDATE OR DELETE ON calendar_events_term
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_count_write();
