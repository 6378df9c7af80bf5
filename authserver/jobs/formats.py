"""Rows as text: CSV for people with a spreadsheet, JSON lines for programs."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Write = Callable[..., str]

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which spreadsheets begin a formula."""


def as_csv(rows: Iterable[Any], columns: Sequence[str], *, is_first: bool) -> str:
    """Return a line for each row, under a line with the names if these are the first."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    if is_first:
        writer.writerow(columns)
    writer.writerows([_cell(getattr(row, name)) for name in columns] for row in rows)
    return text.getvalue()


def as_json_lines(
    rows: Iterable[Any],
    columns: Sequence[str],
    *,
    is_first: bool,  # noqa: ARG001 -- one signature for all writers
) -> str:
    """Return an object for each row, each in a line of its own."""
    objects = ({name: getattr(row, name) for name in columns} for row in rows)
    return "".join(
        json.dumps(each, default=_text, ensure_ascii=False) + "\n" for each in objects
    )


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
IN_WORDS = {"csv": "CSV", "jsonl": "JSON lines"}
WRITERS: dict[str, Write] = {"csv": as_csv, "jsonl": as_json_lines}
