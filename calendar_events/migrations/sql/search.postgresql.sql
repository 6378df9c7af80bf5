-- What searches read, and where the rows of events keep their texts.
--
-- A list looks at the columns of every event that it counts: short columns stay in the row,
-- large texts leave it.
ALTER TABLE calendar_events_event
    ALTER search_text SET STORAGE EXTERNAL,
    ALTER sort_text SET STORAGE MAIN,
    ALTER title SET STORAGE MAIN,
    ALTER slug SET STORAGE MAIN,
    ALTER website SET STORAGE MAIN,
    ALTER institution SET STORAGE MAIN,
    ALTER status SET STORAGE MAIN,
    ALTER previous_status SET STORAGE MAIN,
    ALTER timezone SET STORAGE MAIN,
    ALTER cost SET STORAGE MAIN,
    ALTER password SET STORAGE MAIN,
    SET (toast_tuple_target = 512);

-- Substring search of venues, organizers and terms (a trusted extension).
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX venue_search ON calendar_events_venue USING gin (search_text gin_trgm_ops);
CREATE INDEX organizer_search ON calendar_events_organizer USING gin (search_text gin_trgm_ops);
CREATE INDEX term_search ON calendar_events_term USING gin (search_text gin_trgm_ops);

-- An exact total looks at every match. calendar_events_eventsearch has what a search of
-- events looks at and nothing else, so a page of the table holds many events.
CREATE TABLE calendar_events_eventsearch (
    id bigint PRIMARY KEY,
    start_utc timestamptz NOT NULL,
    end_utc timestamptz NOT NULL,
    published_at timestamptz,
    author_id bigint NOT NULL,
    hide_from_listings boolean NOT NULL,
    has_suffixes boolean NOT NULL,
    institution varchar(64) NOT NULL,
    status varchar(10) NOT NULL,
    is_listed boolean NOT NULL
        GENERATED ALWAYS AS (status = 'publish' AND NOT hide_from_listings) STORED,
    search_text text NOT NULL
);
ALTER TABLE calendar_events_eventsearch ALTER search_text SET STORAGE MAIN;

-- A word is found anywhere in a word: it is the beginning of a suffix. The index over all
-- suffixes of all words is exact, so no text is read to check what it found. It does not
-- know texts with very long words or of very many; those few have a trigram index.
-- The names inside are qualified: a restore and maintenance run them without a search path.
-- The suffixes of words of at most 32 characters have at most 32 times as many bytes as
-- the text, and a tsvector has room for a mebibyte.
CREATE FUNCTION calendar_events_suffixes(words text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100 AS $$
    SELECT pg_catalog.array_to_tsvector(ARRAY(
        SELECT pg_catalog.substr(word, place)
        FROM pg_catalog.unnest(
            pg_catalog.string_to_array(pg_catalog.translate($1, E'\n', ' '), ' ')) word,
            pg_catalog.generate_series(1, pg_catalog.length(word)) place))
$$;
CREATE FUNCTION calendar_events_has_suffixes(words text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT pg_catalog.octet_length($1) <= 32000 AND $1 !~ E'[^ \n]{33}'
$$;

CREATE FUNCTION calendar_events_keep_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE calendar_events_eventsearch;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO calendar_events_eventsearch (id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, status, search_text, has_suffixes)
        VALUES (NEW.id, NEW.start_utc, NEW.end_utc, NEW.published_at, NEW.author_id, NEW.hide_from_listings, NEW.institution, NEW.status, NEW.search_text, calendar_events_has_suffixes(NEW.search_text));
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM calendar_events_eventsearch WHERE id = OLD.id;
    ELSIF (OLD.id, OLD.start_utc, OLD.end_utc, OLD.published_at, OLD.author_id, OLD.hide_from_listings, OLD.institution, OLD.status, OLD.search_text) IS DISTINCT FROM (NEW.id, NEW.start_utc, NEW.end_utc, NEW.published_at, NEW.author_id, NEW.hide_from_listings, NEW.institution, NEW.status, NEW.search_text) THEN
        UPDATE calendar_events_eventsearch SET (id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, status, search_text, has_suffixes)
            = (NEW.id, NEW.start_utc, NEW.end_utc, NEW.published_at, NEW.author_id, NEW.hide_from_listings, NEW.institution, NEW.status, NEW.search_text, calendar_events_has_suffixes(NEW.search_text))
        WHERE id = OLD.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER calendar_events_keep_search AFTER INSERT OR UPDATE OR DELETE ON calendar_events_event
    FOR EACH ROW EXECUTE FUNCTION calendar_events_keep_search();
CREATE TRIGGER calendar_events_keep_search_truncate AFTER TRUNCATE ON calendar_events_event
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_keep_search();

-- Also run by rebuild_calendar: events may have been loaded with their triggers disabled.
CREATE FUNCTION calendar_events_copy_searches() RETURNS void LANGUAGE sql AS $$
    DELETE FROM calendar_events_eventsearch kept
    WHERE NOT EXISTS (SELECT 1 FROM calendar_events_event event WHERE event.id = kept.id);
    INSERT INTO calendar_events_eventsearch AS kept (id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, status, search_text, has_suffixes)
    SELECT id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, status, search_text, calendar_events_has_suffixes(search_text) FROM calendar_events_event
    ON CONFLICT (id) DO UPDATE SET (id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, status, search_text, has_suffixes)
        = (excluded.id, excluded.start_utc, excluded.end_utc, excluded.published_at, excluded.author_id, excluded.hide_from_listings, excluded.institution, excluded.status, excluded.search_text, excluded.has_suffixes)
    WHERE (kept.id, kept.start_utc, kept.end_utc, kept.published_at, kept.author_id, kept.hide_from_listings, kept.institution, kept.status, kept.search_text, kept.has_suffixes)
        IS DISTINCT FROM (excluded.id, excluded.start_utc, excluded.end_utc, excluded.published_at, excluded.author_id, excluded.hide_from_listings, excluded.institution, excluded.status, excluded.search_text, excluded.has_suffixes);
$$;

-- Without a list of what is still to be entered, which one writer in hundreds would have to
-- enter for all. And without statistics: no plan depends on the word, so plans are kept.
CREATE INDEX event_search_suffixes ON calendar_events_eventsearch
    USING gin (calendar_events_suffixes(search_text)) WITH (fastupdate = off)
    WHERE has_suffixes;
ALTER INDEX event_search_suffixes ALTER COLUMN 1 SET STATISTICS 0;
CREATE INDEX event_search_trigrams ON calendar_events_eventsearch
    USING gin (search_text gin_trgm_ops) WHERE NOT has_suffixes;
CREATE INDEX event_search_listed ON calendar_events_eventsearch (start_utc, published_at) WHERE is_listed;
CREATE INDEX event_search_others ON calendar_events_eventsearch (id) WHERE NOT has_suffixes;
