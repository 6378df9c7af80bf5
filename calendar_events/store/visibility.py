"""The rules of ``models.visibility`` as SQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from calendar_events.store import sql

if TYPE_CHECKING:
    from calendar_events.models.visibility import Alternative, Condition, Rule


def text_of(alternative: Alternative, alias: str) -> str:
    """Return conditions without values of their own (statuses, flags) as SQL.

    Written out, not bound, because a partial index must see them in a prepared plan.
    """
    parts = [_part(one, alias) for one in alternative]
    if any(params for _, params in parts):
        raise ValueError("a condition with a value that is not constant")
    return " AND ".join(text for text, _ in parts)


def conditions_of(rule: Rule, alias: str) -> sql.Conditions:
    """Return a rule about the rows of ``alias``, with its values."""
    texts: list[str] = []
    params: list[Any] = []
    for alternative in rule:
        parts = [_part(one, alias) for one in alternative]
        texts.append(" AND ".join(text for text, _ in parts))
        params += [value for _, values in parts for value in values]
    conditions = sql.Conditions()
    if len(texts) > 1:
        texts = [f"({' OR '.join(f'({text})' for text in texts)})"]
    conditions.add(texts[0] if texts else "1 = 0", *params)
    return conditions


def _part(condition: Condition, alias: str) -> tuple[str, list[Any]]:
    """Return one condition and what is to be bound in it."""
    column, operator, value = condition
    if isinstance(value, bool):
        return (f"{alias}.{column}" if value else f"NOT {alias}.{column}"), []
    if column == "status":
        # The condition of the index over what is not published is written like this.
        return (
            (f"NOT ({alias}.status = '{value}')", [])
            if operator == "<>"
            else (f"{alias}.status {operator} '{value}'", [])
        )
    bound = sql.moment(value) if isinstance(value, datetime) else value
    return f"{alias}.{column} {operator} %s", [bound]
