-- As counters.postgresql.sql, by row: SQLite has no other triggers, and one writer at a time.
-- A trigger goes with its table: whoever makes a table anew must install these again.

CREATE TRIGGER calendar_events_count_event_insert_new
    AFTER INSERT ON calendar_events_event
    WHEN NEW.status = 'publish' AND NOT NEW.hide_from_listings
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'all', substr(NEW.start_utc, 1, 10), 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'all' AND day = substr(NEW.start_utc, 1, 10));
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'all' AND day = substr(NEW.start_utc, 1, 10);
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'all', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'all' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'all' AND day = '0001-01-01';
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'institution:' || NEW.institution, substr(NEW.start_utc, 1, 10), 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 10));
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 10);
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'institution:' || NEW.institution, '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'institution:' || NEW.institution AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'institution:' || NEW.institution AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_event_update_old
    AFTER UPDATE ON calendar_events_event
    WHEN OLD.status = 'publish' AND NOT OLD.hide_from_listings
BEGIN
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'all' AND day = substr(OLD.start_utc, 1, 10);
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'all' AND day = '0001-01-01';
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'institution:' || OLD.institution AND day = substr(OLD.start_utc, 1, 10);
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'institution:' || OLD.institution AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_event_update_new
    AFTER UPDATE ON calendar_events_event
    WHEN NEW.status = 'publish' AND NOT NEW.hide_from_listings
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'all', substr(NEW.start_utc, 1, 10), 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'all' AND day = substr(NEW.start_utc, 1, 10));
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'all' AND day = substr(NEW.start_utc, 1, 10);
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'all', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'all' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'all' AND day = '0001-01-01';
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'institution:' || NEW.institution, substr(NEW.start_utc, 1, 10), 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 10));
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 10);
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'institution:' || NEW.institution, '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'institution:' || NEW.institution AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'institution:' || NEW.institution AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_event_delete_old
    AFTER DELETE ON calendar_events_event
    WHEN OLD.status = 'publish' AND NOT OLD.hide_from_listings
BEGIN
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'all' AND day = substr(OLD.start_utc, 1, 10);
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'all' AND day = '0001-01-01';
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'institution:' || OLD.institution AND day = substr(OLD.start_utc, 1, 10);
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'institution:' || OLD.institution AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_eventterm_insert_new
    AFTER INSERT ON calendar_events_eventterm
    WHEN NEW.listed
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'term:' || NEW.term_id, substr(NEW.start_utc, 1, 10), 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'term:' || NEW.term_id AND day = substr(NEW.start_utc, 1, 10));
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'term:' || NEW.term_id AND day = substr(NEW.start_utc, 1, 10);
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'term:' || NEW.term_id, '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'term:' || NEW.term_id AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'term:' || NEW.term_id AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_eventterm_update_old
    AFTER UPDATE ON calendar_events_eventterm
    WHEN OLD.listed
BEGIN
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'term:' || OLD.term_id AND day = substr(OLD.start_utc, 1, 10);
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'term:' || OLD.term_id AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_eventterm_update_new
    AFTER UPDATE ON calendar_events_eventterm
    WHEN NEW.listed
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'term:' || NEW.term_id, substr(NEW.start_utc, 1, 10), 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'term:' || NEW.term_id AND day = substr(NEW.start_utc, 1, 10));
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'term:' || NEW.term_id AND day = substr(NEW.start_utc, 1, 10);
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'term:' || NEW.term_id, '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'term:' || NEW.term_id AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'term:' || NEW.term_id AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_eventterm_delete_old
    AFTER DELETE ON calendar_events_eventterm
    WHEN OLD.listed
BEGIN
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'term:' || OLD.term_id AND day = substr(OLD.start_utc, 1, 10);
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'term:' || OLD.term_id AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_event_insert
    AFTER INSERT ON calendar_events_event
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_event_update
    AFTER UPDATE ON calendar_events_event
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_event_delete
    AFTER DELETE ON calendar_events_event
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_venue_insert
    AFTER INSERT ON calendar_events_venue
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_venue_update
    AFTER UPDATE ON calendar_events_venue
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_venue_delete
    AFTER DELETE ON calendar_events_venue
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_organizer_insert
    AFTER INSERT ON calendar_events_organizer
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_organizer_update
    AFTER UPDATE ON calendar_events_organizer
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_organizer_delete
    AFTER DELETE ON calendar_events_organizer
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_term_insert
    AFTER INSERT ON calendar_events_term
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_term_update
    AFTER UPDATE ON calendar_events_term
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_write_term_delete
    AFTER DELETE ON calendar_events_term
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes' AND day = '0001-01-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'writes' AND day = '0001-01-01';
END;

CREATE TRIGGER calendar_events_count_month_insert_new
    AFTER INSERT ON calendar_events_event
    WHEN NEW.status = 'publish' AND NOT NEW.hide_from_listings
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'month:' || 'all', substr(NEW.start_utc, 1, 7) || '-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'month:' || 'all' AND day = substr(NEW.start_utc, 1, 7) || '-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'month:' || 'all' AND day = substr(NEW.start_utc, 1, 7) || '-01';
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'month:' || 'institution:' || NEW.institution, substr(NEW.start_utc, 1, 7) || '-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'month:' || 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 7) || '-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'month:' || 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 7) || '-01';
END;

CREATE TRIGGER calendar_events_count_month_update_old
    AFTER UPDATE ON calendar_events_event
    WHEN OLD.status = 'publish' AND NOT OLD.hide_from_listings
BEGIN
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'month:' || 'all' AND day = substr(OLD.start_utc, 1, 7) || '-01';
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'month:' || 'institution:' || OLD.institution AND day = substr(OLD.start_utc, 1, 7) || '-01';
END;

CREATE TRIGGER calendar_events_count_month_update_new
    AFTER UPDATE ON calendar_events_event
    WHEN NEW.status = 'publish' AND NOT NEW.hide_from_listings
BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'month:' || 'all', substr(NEW.start_utc, 1, 7) || '-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'month:' || 'all' AND day = substr(NEW.start_utc, 1, 7) || '-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'month:' || 'all' AND day = substr(NEW.start_utc, 1, 7) || '-01';
    INSERT INTO calendar_events_daycount (scope, day, number)
        SELECT 'month:' || 'institution:' || NEW.institution, substr(NEW.start_utc, 1, 7) || '-01', 0 WHERE NOT EXISTS (
            SELECT 1 FROM calendar_events_daycount WHERE scope = 'month:' || 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 7) || '-01');
    UPDATE calendar_events_daycount SET number = number + 1
        WHERE scope = 'month:' || 'institution:' || NEW.institution AND day = substr(NEW.start_utc, 1, 7) || '-01';
END;

CREATE TRIGGER calendar_events_count_month_delete_old
    AFTER DELETE ON calendar_events_event
    WHEN OLD.status = 'publish' AND NOT OLD.hide_from_listings
BEGIN
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'month:' || 'all' AND day = substr(OLD.start_utc, 1, 7) || '-01';
    UPDATE calendar_events_daycount SET number = number - 1
        WHERE scope = 'month:' || 'institution:' || OLD.institution AND day = substr(OLD.start_utc, 1, 7) || '-01';
END;
