"""A yardstick measures something only when it answers the same."""

import difflib
from collections.abc import Iterable
from typing import Any

import orjson

from benchmarks import client
from benchmarks.servers import Server


class AnswersDiffer(Exception):
    """Two servers that should answer the same do not."""


def require_same(running: Iterable[Server], message: bytes) -> None:
    """Compare everybody's status and JSON with the first one's.

    Raises ``AnswersDiffer`` naming the server and the differences.
    """
    first, *others = running
    expected = client.ask(first.port, message)
    for server in others:
        answer = client.ask(server.port, message)
        found = differences(orjson.loads(expected.body), orjson.loads(answer.body))
        if answer.status != expected.status or found:
            raise AnswersDiffer(f"{server.name}, {answer.status}: {' '.join(found[:6])}")


def differences(one: Any, other: Any) -> list[str]:
    """Return the lines of JSON in which two values differ, the order of members aside."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    left, right = (
        orjson.dumps(value, option=options).decode().splitlines() for value in (one, other)
    )
    return [line for line in difflib.unified_diff(left, right, n=0) if line[0] in "+-"][2:]
