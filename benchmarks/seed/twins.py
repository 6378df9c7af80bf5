"""Make a large calendar of a small one: copies with an identity of their own.

Rendering a million events takes a processor a quarter of an hour, copying them in the
database a few minutes. A twin differs from its original in identifier, slug and addresses.
"""

from __future__ import annotations

from typing import Final

from django.db import connection, transaction

from calendar_events.models import Event, EventOrganizer, EventTerm, EventVenue

# The fragment begins with the identifier; elsewhere it stands at the end of an address.
FRAGMENT: Final = """'"id":' || (id + {shift}) || substr(
    replace(replace(replace(fragment,
        '?id=' || id || '"', '?id=' || (id + {shift}) || '"'),
        '/events/' || id || '"', '/events/' || (id + {shift}) || '"'),
        'event-' || id || '"', 'event-' || (id + {shift}) || '"'),
    length('"id":' || id) + 1)"""
# Both end with what no other address of theirs does: a quotation mark, the text's end.
JSON_LD: Final = """replace(json_ld,
    'event-' || id || '"', 'event-' || (id + {shift}) || '"')"""
FEED_TEXT: Final = """CASE
    WHEN feed_text LIKE '%/by-slug/event-' || id THEN substr(
        feed_text, 1, length(feed_text) - length('' || id)) || (id + {shift})
    ELSE feed_text END"""
SLUG: Final = "CASE slug WHEN '' THEN '' ELSE 'event-' || (id + {shift}) END"


def copy_events(*, originals: int, first: int, last: int) -> None:
    """Copy originals, in their order, into the identifiers ``first`` to ``last``."""
    shift = first - 1
    copied = last - shift
    if copied > originals:
        raise ValueError(f"{copied} twins of {originals} originals")
    with transaction.atomic(), connection.cursor() as cursor:
        expressions = {
            "id": f"id + {shift}",
            "fragment": FRAGMENT,
            "json_ld": JSON_LD,
            "feed_text": FEED_TEXT,
            "slug": SLUG,
        }
        cursor.execute(_statement(Event, expressions, shift, f"id <= {copied}"))
        for link in (EventVenue, EventOrganizer, EventTerm):
            expressions = {"event_id": f"event_id + {shift}"}
            cursor.execute(_statement(link, expressions, shift, f"event_id <= {copied}"))


def _statement(
    model: type[Event | EventVenue | EventOrganizer | EventTerm],
    expressions: dict[str, str],
    shift: int,
    condition: str,
) -> str:
    """Return INSERT … SELECT of every column, some of them by an expression."""
    columns = [str(field.column) for field in model._meta.concrete_fields]
    if model is not Event:
        columns.remove("id")
    values = (expressions.get(column, column).format(shift=shift) for column in columns)
    table = model._meta.db_table
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "  # noqa: S608 -- names and numbers
        f"SELECT {', '.join(values)} FROM {table} WHERE {condition}"
    )
