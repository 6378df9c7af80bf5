"""Searches of events on PostgreSQL: a narrow table of their texts, and an index of suffixes.

An exact total looks at every match. ``calendar_events_eventsearch`` has what a search looks
at and nothing else: the text, and the columns by which lists tell who sees an event and
when it is; so a page of the table holds many events and no other table is read. Triggers
keep it in step with the events, which themselves need not keep their text in the row.

A word is found anywhere in a word: it is the beginning of a suffix. The index over all
suffixes of all words is exact, so no text is read to check what it found, and it serves
words of any length, as one of trigrams does not. It does not know texts with very long
words (addresses, scripts that put no blanks between words) or of very many; those few have
a trigram index.

Writers of events wait until it is done. What the events themselves no longer need is left to
0010: a stronger lock asked for here, at the end, would meet writers that wait for us.
"""

from django.db import migrations

EVENT = "calendar_events_event"
TABLE = "calendar_events_eventsearch"
COPIED = (
    "id",
    "start_utc",
    "end_utc",
    "published_at",
    "author_id",
    "hide_from_listings",
    "institution",
    "status",
    "search_text",
)

# The names inside are qualified: a restore and maintenance run them without a search path.
# The suffixes of words of at most 32 characters have at most 32 times as many bytes as
# the text, and a tsvector has room for a mebibyte.
FUNCTIONS = """
CREATE FUNCTION calendar_events_suffixes(words text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100 AS $$
    SELECT pg_catalog.array_to_tsvector(ARRAY(
        SELECT pg_catalog.substr(word, place)
        FROM pg_catalog.unnest(
            pg_catalog.string_to_array(pg_catalog.translate($1, E'\\n', ' '), ' ')) word,
            pg_catalog.generate_series(1, pg_catalog.length(word)) place))
$$;
CREATE FUNCTION calendar_events_has_suffixes(words text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT pg_catalog.octet_length($1) <= 32000 AND $1 !~ E'[^ \\n]{33}'
$$;
"""

CREATE = f"""
CREATE TABLE {TABLE} (
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
ALTER TABLE {TABLE} ALTER search_text SET STORAGE MAIN;
"""

# Without a list of what is still to be entered, which one writer in hundreds would have to
# enter for all. And without statistics: no plan depends on the word, so plans are kept.
INDEXES = f"""
CREATE INDEX event_search_suffixes ON {TABLE}
    USING gin (calendar_events_suffixes(search_text)) WITH (fastupdate = off)
    WHERE has_suffixes;
ALTER INDEX event_search_suffixes ALTER COLUMN 1 SET STATISTICS 0;
CREATE INDEX event_search_trigrams ON {TABLE}
    USING gin (search_text gin_trgm_ops) WHERE NOT has_suffixes;
CREATE INDEX event_search_listed ON {TABLE} (start_utc, published_at) WHERE is_listed;
CREATE INDEX event_search_others ON {TABLE} (id) WHERE NOT has_suffixes;
"""

_COLUMNS = ", ".join(COPIED)
_OLD, _NEW = (
    ", ".join(f"{row}.{column}" for column in COPIED) for row in ("OLD", "NEW")
)
TRIGGERS = f"""
CREATE FUNCTION calendar_events_keep_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE {TABLE};
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO {TABLE} ({_COLUMNS}, has_suffixes)
        VALUES ({_NEW}, calendar_events_has_suffixes(NEW.search_text));
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM {TABLE} WHERE id = OLD.id;
    ELSIF ({_OLD}) IS DISTINCT FROM ({_NEW}) THEN
        UPDATE {TABLE} SET ({_COLUMNS}, has_suffixes)
            = ({_NEW}, calendar_events_has_suffixes(NEW.search_text))
        WHERE id = OLD.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER calendar_events_keep_search AFTER INSERT OR UPDATE OR DELETE ON {EVENT}
    FOR EACH ROW EXECUTE FUNCTION calendar_events_keep_search();
CREATE TRIGGER calendar_events_keep_search_truncate AFTER TRUNCATE ON {EVENT}
    FOR EACH STATEMENT EXECUTE FUNCTION calendar_events_keep_search();
"""

# Also run by ``rebuilding``: events may have been loaded with their triggers disabled.
_KEPT, _FOUND = (
    ", ".join(f"{row}.{column}" for column in COPIED) for row in ("kept", "excluded")
)
FILL = f"""
CREATE FUNCTION calendar_events_copy_searches() RETURNS void LANGUAGE sql AS $$
    DELETE FROM {TABLE} kept
    WHERE NOT EXISTS (SELECT 1 FROM {EVENT} event WHERE event.id = kept.id);
    INSERT INTO {TABLE} AS kept ({_COLUMNS}, has_suffixes)
    SELECT {_COLUMNS}, calendar_events_has_suffixes(search_text) FROM {EVENT}
    ON CONFLICT (id) DO UPDATE SET ({_COLUMNS}, has_suffixes)
        = ({_FOUND}, excluded.has_suffixes)
    WHERE ({_KEPT}, kept.has_suffixes)
        IS DISTINCT FROM ({_FOUND}, excluded.has_suffixes);
$$;
SELECT calendar_events_copy_searches();
"""

DROP = f"""
LOCK TABLE {EVENT} IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER calendar_events_keep_search ON {EVENT};
DROP TRIGGER calendar_events_keep_search_truncate ON {EVENT};
DROP FUNCTION calendar_events_keep_search();
DROP FUNCTION calendar_events_copy_searches();
DROP TABLE {TABLE};
DROP FUNCTION calendar_events_suffixes(text);
DROP FUNCTION calendar_events_has_suffixes(text);
"""


def create(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return  # SQLite reads the text of each event
    # The triggers first: their lock keeps writers waiting until all is committed.
    for statement in (FUNCTIONS, CREATE, TRIGGERS, FILL, INDEXES):
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(DROP)


class Migration(migrations.Migration):
    dependencies = [("calendar_events", "0008_months")]
    operations = [migrations.RunPython(create, drop)]
