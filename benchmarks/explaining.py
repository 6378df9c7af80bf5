"""Ask the project itself, in this process: statements per request, and their plans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks import paths
from benchmarks.sections import plans

if TYPE_CHECKING:
    from collections.abc import Mapping

DURATION = re.compile(r"duration: ([0-9.]+) ms\s+plan:\s*(.*)", re.DOTALL)
HOST = "127.0.0.1"
MAX_LINES = 45
QUERY_TEXT = re.compile(r"^Query Text: .*?\n(?=\S[^\n]*\(cost=)", re.DOTALL)


def count_statements(path: str, headers: Mapping[str, str] | None = None) -> int:
    """Return how many statements one request sends, transactions' own included."""
    client = Client(SERVER_NAME=HOST, headers=dict(headers or {}))
    with CaptureQueriesContext(connection) as captured:
        client.get(path)
    return len(captured)


def count_statements_each(
    path: str, callers: Mapping[str, Mapping[str, str]]
) -> dict[str, int]:
    """Count for several callers, after a request that fills the caches of the process."""
    Client(SERVER_NAME=HOST).get(path)
    return {name: count_statements(path, headers) for name, headers in callers.items()}


def plans_of_pages() -> dict[str, str]:
    """Return the plan of the slowest statement of each heavy page, by its name."""
    client = Client(SERVER_NAME=HOST)
    last_page = int(client.get(paths.EVENTS).headers["X-TEC-TotalPages"])
    connection.ensure_connection()
    messages: list[str] = []
    connection.connection.add_notice_handler(
        lambda diagnostic: messages.append(diagnostic.message_primary or "")
    )
    with connection.cursor() as cursor:
        cursor.execute("LOAD 'auto_explain'")
        for name, value in (
            ("auto_explain.log_min_duration", "0"),
            ("auto_explain.log_analyze", "on"),
            ("auto_explain.log_buffers", "on"),
            ("auto_explain.log_timing", "on"),
            ("client_min_messages", "log"),
        ):
            cursor.execute(f"SET {name} = {value}")
    found = {}
    for name, path in plans.heavy(last_page).items():
        client.get(path)  # warm
        messages.clear()
        client.get(path)
        found[name] = slowest(messages)
    return found


def slowest(messages: list[str]) -> str:
    """Return the plan with the longest duration, without the statement's text."""
    matches = [match for text in messages if (match := DURATION.search(text))]
    slowest_match = max(matches, key=lambda match: float(match[1]))
    plan = QUERY_TEXT.sub("", slowest_match[2])
    lines = [f"{slowest_match[1]} ms", *plan.splitlines()]
    more = len(lines) - MAX_LINES
    return "\n".join(
        [*lines[:MAX_LINES], *([f"... {more} lines more"] if more > 0 else [])]
    )
