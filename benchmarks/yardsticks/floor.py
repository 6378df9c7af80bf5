"""WSGI applications without a framework: the same list, from rows.

Only the default list is answered: anybody, the default window, ``page`` and ``per_page``.
Totals come from the same roll-up that the product reads.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qs

import orjson
import psycopg
from psycopg.rows import DictRow, dict_row

from benchmarks.yardsticks import envelope, shapes

StartResponse = Callable[[str, list[tuple[str, str]]], Any]

VISIBLE: Final = """status = 'publish' AND NOT hide_from_listings
    AND published_at <= %(now)s
    AND start_utc >= %(first)s AND end_utc <= %(last)s"""
TOTAL: Final = """SELECT coalesce(sum(number), 0)::int AS total
    FROM calendar_events_daycount WHERE
    scope = 'all' AND day >= %(first_day)s AND day < %(first_month)s
    OR scope = 'month:all' AND day >= %(first_month)s AND day < %(last_month)s
    OR scope = 'all' AND day >= %(last_month)s AND day <= %(last_day)s"""
RECORD: Final = """id author_id status published_at modified_at slug description
    website show_map show_map_link"""
EVENT: Final = f"""{RECORD} title excerpt all_day start_local end_local start_utc end_utc
    timezone cost hide_from_listings sticky featured ticketed image_id"""
VENUE: Final = f"{RECORD} name {' '.join(shapes.VENUE_DETAILS)}"
ORGANIZER: Final = "id author_id status published_at modified_at slug description name " + (
    " ".join(shapes.ORGANIZER_DETAILS)
)
TERM: Final = "id taxonomy name slug description parent_id"


def columns(alias: str, names: str) -> str:
    """Return the columns that a document needs, each once."""
    return ", ".join(f"{alias}.{name}" for name in dict.fromkeys(shapes.names(names)))


PAGE: Final = f"""SELECT {columns("e", EVENT)},
    i.file AS image_file, i.width, i.height, i.filesize, i.sizes
    FROM (SELECT id AS page_id FROM calendar_events_event WHERE {VISIBLE}
        ORDER BY start_utc, id LIMIT %(size)s OFFSET %(offset)s) AS page
    JOIN calendar_events_event e ON e.id = page_id
    LEFT JOIN calendar_events_image i ON i.id = e.image_id
    ORDER BY e.start_utc, e.id"""
VENUES: Final = f"""SELECT l.event_id, {columns("v", VENUE)}
    FROM calendar_events_eventvenue l
    JOIN calendar_events_venue v ON v.id = l.venue_id
    WHERE l.event_id = ANY(%(ids)s) ORDER BY l.event_id, l.position"""
ORGANIZERS: Final = f"""SELECT l.event_id, {columns("o", ORGANIZER)}
    FROM calendar_events_eventorganizer l
    JOIN calendar_events_organizer o ON o.id = l.organizer_id
    WHERE l.event_id = ANY(%(ids)s) ORDER BY l.event_id, l.position"""
TERMS: Final = f"""SELECT l.event_id, {columns("t", TERM)},
    (SELECT coalesce(sum(number), 0)::int
        FROM calendar_events_daycount d
        WHERE d.scope = 'term:' || t.id AND d.day = '0001-01-01') AS count
    FROM calendar_events_eventterm l JOIN calendar_events_term t ON t.id = l.term_id
    WHERE l.event_id = ANY(%(ids)s) ORDER BY t.sort_text, t.id"""


@cache
def database() -> psycopg.Connection[DictRow]:
    """Return the one connection of this process."""
    return psycopg.connect(
        os.environ["DATABASE_URL"],
        autocommit=True,
        prepare_threshold=0,
        row_factory=dict_row,
    )


def rows(statement: str, **parameters: Any) -> list[DictRow]:
    return database().execute(statement, parameters).fetchall()


def assembled(found: list[DictRow]) -> list[dict[str, Any]]:
    """Return complete events for rows of ``PAGE``, by three more statements."""
    ids = [row["id"] for row in found]
    related: dict[str, dict[int, list[Any]]] = {
        name: defaultdict(list) for name in ("venue", "organizer", "categories", "tags")
    }
    for row in rows(VENUES, ids=ids):
        related["venue"][row["event_id"]].append(shapes.venue(row))
    for row in rows(ORGANIZERS, ids=ids):
        related["organizer"][row["event_id"]].append(shapes.organizer(row))
    for row in rows(TERMS, ids=ids):
        kind = shapes.COLLECTIONS[row["taxonomy"]]
        related[kind][row["event_id"]].append(shapes.term(row))
    return [
        {
            **shapes.event(row),
            "categories": related["categories"][row["id"]],
            "tags": related["tags"][row["id"]],
            "venue": shapes.one_or_many(related["venue"][row["id"]]),
            "organizer": related["organizer"][row["id"]],
            "custom_fields": [],
        }
        for row in found
    ]


def _asked(query: str) -> tuple[int, int, dict[str, Any]]:
    """Return page, size and the parameters of the default window."""
    values = parse_qs(query)
    page, size = (int(values.get(name, [text])[0]) for name, text in envelope.DEFAULTS)
    now = datetime.now(UTC)
    first, last = envelope.window(now)
    return (
        page,
        size,
        {
            "now": now,
            "first": first,
            "last": last,
            "first_day": first.date(),
            "first_month": (first.replace(day=1) + timedelta(days=31))
            .date()
            .replace(day=1),
            "last_month": last.date().replace(day=1),
            "last_day": last.date(),
            "size": size,
            "offset": (page - 1) * size,
        },
    )


def floor_rows(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """Answer from rows, put together now."""
    page, size, parameters = _asked(environ["QUERY_STRING"])
    total = rows(TOTAL, **parameters)[0]["total"]
    events = assembled(rows(PAGE, **parameters))
    body = orjson.dumps({"events": events, **envelope.rest(page, size, total, parameters)})
    return _answer(start_response, body, total)


def _answer(start_response: StartResponse, body: bytes, total: int) -> list[bytes]:
    start_response(
        "200 OK",
        [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("X-TEC-Total", str(total)),
        ],
    )
    return [body]
