"""Rows as a file: CSV for people with a spreadsheet, JSON lines for programs."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from django.http import Http404, StreamingHttpResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from django.db.models import Model, QuerySet

AT_ONCE = 1000
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the beginning of a formula."""


def respond(
    kind: str, rows: QuerySet[Any], columns: Sequence[str], *, name: str
) -> StreamingHttpResponse:
    """Answer with the columns of the rows, the last first, as ``csv`` or ``jsonl``.

    Raises ``Http404`` for another kind.
    """
    if kind not in KINDS:
        raise Http404
    content_type, write = KINDS[kind]
    return StreamingHttpResponse(
        write(rows, columns),
        content_type=content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}.{kind}"',
            "Cache-Control": "no-store",
        },
    )


def _in_portions(rows: QuerySet[Any]) -> Iterator[Model]:
    """Yield all rows, reading so many at once and holding no cursor open."""
    remaining = rows.order_by("-pk")
    is_full = True
    while is_full:
        portion = list(remaining[:AT_ONCE])
        yield from portion
        is_full = len(portion) == AT_ONCE
        if is_full:
            remaining = rows.order_by("-pk").filter(pk__lt=portion[-1].pk)


def _csv(rows: QuerySet[Any], columns: Sequence[str]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(columns)
    for row in _in_portions(rows):
        yield writer.writerow([_cell(getattr(row, name)) for name in columns])


def _jsonl(rows: QuerySet[Any], columns: Sequence[str]) -> Iterator[str]:
    for row in _in_portions(rows):
        values = {name: getattr(row, name) for name in columns}
        yield json.dumps(values, default=_text, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str:
    """Return the text of a cell, which no spreadsheet runs as a formula."""
    if isinstance(value, dict):
        value = json.dumps(value, ensure_ascii=False)
    text = _text(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _text(value: Any) -> str:
    """Return a moment in ISO 8601, anything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


class _Echo:
    """What ``csv`` takes for a file: each line comes back."""

    def write(self, line: str) -> str:
        return line


KINDS: dict[str, tuple[str, Callable[[QuerySet[Any], Sequence[str]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", _jsonl),
}
