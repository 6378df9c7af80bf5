"""Rows as lines of text: CSV for spreadsheets, JSON lines for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Write = Callable[[Iterable[Any], Sequence[str]], Iterator[str]]

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which spreadsheets begin a formula."""


def as_csv(rows: Iterable[Any], columns: Sequence[str]) -> Iterator[str]:
    """Yield the names of the columns, then a record for each row."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(getattr(row, name)) for name in columns])
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def as_json_lines(rows: Iterable[Any], columns: Sequence[str]) -> Iterator[str]:
    """Yield one object per row, one per line (JSON Lines)."""
    for row in rows:
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


CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
}
WRITERS: dict[str, Write] = {"csv": as_csv, "jsonl": as_json_lines}
