"""What a database has of this app, as text: tables, indexes, constraints, triggers."""

import re

PREFIX = "calendar_events_"
_FILLER = re.compile(r"\s+")
_PADDING = re.compile(r"(?<=\() | (?=[);])")
_CAST = re.compile(r"::(character varying|text)(\[\])?")
_AROUND = re.compile(r"\(('[^']*'|ARRAY\[[^]]*\])\)")


def describe(connection) -> str:
    """Return a line for each thing, sorted; what it is called in no other order."""
    lines = (
        _postgresql(connection)
        if connection.vendor == "postgresql"
        else _sqlite(connection)
    )
    return "".join(f"{line}\n" for line in sorted(lines))


def _rows(connection, statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def _one_line(text: str) -> str:
    return _PADDING.sub("", _FILLER.sub(" ", text)).strip()


def _as_restored(text: str) -> str:
    """Return a condition alike before and after a dump, which moves its casts."""
    text = _AROUND.sub(r"\1", _CAST.sub("", text))
    return _AROUND.sub(r"\1", text)


def _postgresql(connection):
    for row in _rows(
        connection,
        """SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            a.attstorage, a.attstattarget, a.attidentity, a.attgenerated,
            pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relname LIKE 'calendar\\_events\\_%' AND c.relkind = 'r' AND a.attnum > 0
            AND NOT a.attisdropped""",
    ):
        yield f"column {' '.join(map(str, row))}"
    for name, options in _rows(
        connection,
        """SELECT relname, reloptions FROM pg_class
        WHERE relname LIKE 'calendar\\_events\\_%' AND relkind = 'r'""",
    ):
        yield f"table {name} {options}"
    for name, definition in _rows(
        connection,
        """SELECT c.relname, pg_get_constraintdef(o.oid) || ' ' || o.conname
        FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
        WHERE c.relname LIKE 'calendar\\_events\\_%'""",
    ):
        yield f"constraint {name} {_as_restored(definition)}"
    for (definition,) in _rows(
        connection,
        "SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'calendar\\_events\\_%'",
    ):
        yield f"index {_as_restored(definition)}"
    for (definition,) in _rows(
        connection,
        """SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t
        JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relname LIKE 'calendar\\_events\\_%' AND NOT t.tgisinternal""",
    ):
        yield f"trigger {_one_line(definition)}"
    for (definition,) in _rows(
        connection,
        """SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE proname LIKE 'calendar\\_events\\_%'""",
    ):
        yield f"function {_one_line(definition)}"


def _sqlite(connection):
    for kind, name, statement in _rows(
        connection,
        """SELECT type, name, sql FROM sqlite_master
        WHERE tbl_name LIKE 'calendar\\_events\\_%' ESCAPE '\\'""",
    ):
        if statement is None:
            yield f"{kind} {name}"
        elif kind == "table":
            _, _, inside = _one_line(statement).partition("(")
            for part in _parts(inside.rstrip()[:-1]):
                yield f"table {name} {part}"
        else:
            yield f"{kind} {_one_line(statement)}"


def _parts(text: str):
    """Split at the commas that are outside of brackets and quotation marks."""
    depth, quoted, start = 0, False, 0
    for place, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif not quoted and character in "()":
            depth += 1 if character == "(" else -1
        elif not quoted and character == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()
