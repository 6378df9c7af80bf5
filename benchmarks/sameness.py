"""A yardstick measures something only when it answers the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from benchmarks import servers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.servers import Server


class AnswersDiffer(Exception):
    """Two servers that should answer the same do not."""


def require_same(running: Mapping[str, Server], message: bytes) -> None:
    """Compare everybody's JSON with the first one's.

    Raises ``AnswersDiffer`` naming the server and the first difference.
    """
    answers = {
        name: servers.answer(server, message)[::2] for name, server in running.items()
    }
    (first, expected), *others = answers.items()
    for name, (status, body) in others:
        if status != expected[0]:
            raise AnswersDiffer(f"{name}: {status}, {first}: {expected[0]}")
        difference = next(differences(orjson.loads(expected[1]), orjson.loads(body)), None)
        if difference:
            raise AnswersDiffer(f"{name} is unlike {first}: {difference}")


def differences(one: Any, other: Any, where: str = "$") -> Iterator[str]:
    """Yield where two JSON values differ, numbers and their texts told apart."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            if name not in one or name not in other:
                yield f"{where}.{name} is only in one"
            else:
                yield from differences(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{where} has {len(one)} and {len(other)} items"
        for index, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from differences(left, right, f"{where}[{index}]")
    elif type(one) is not type(other) or one != other:
        yield f"{where}: {one!r} and {other!r}"
