"""Write the row of a record, and a copy of it into its history.

Each statement is the same for every row of a table: it is made once, and prepared on the
server. ``Model.save`` would make it anew for each row and put the values into its text, and
django-simple-history would do so once more with the same values.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

from django.db import connections, router
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.store import sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import Field

    Fields = list[Field[Any, Any]]


def insert(row: Any) -> None:
    """Insert a row, whose identifier is known. Raises ``IntegrityError``."""
    statement, fields = _insert(row.__class__)
    sql.write(statement, _adapted(fields, row))
    row._state.adding = False  # noqa: SLF001 -- Django's word for it
    row._state.db = router.db_for_write(Event)  # noqa: SLF001


def update(row: Any, *, version: int) -> bool:
    """Write the columns of a row that is stored at ``version``; return whether it was.

    Raises ``IntegrityError``.
    """
    statement, fields = _update(row.__class__)
    return bool(sql.write(statement, [*_adapted(fields, row), row.pk, version]))


def remember(row: Any, kind: Literal["+", "~"]) -> None:
    """Copy a row that was just inserted (``+``) or updated (``~``) into its history.

    Who did it and why is where ``services.writing`` put it for django-simple-history, which
    writes the states that deletions leave.
    """
    user = getattr(row, "_history_user", None)
    metadata = SimpleNamespace(
        history_date=timezone.now(),
        history_type=kind,
        history_user_id=user and user.pk,
        history_change_reason=getattr(row, "_change_reason", None),
        linked=getattr(row, "linked", None),
    )
    statement, fields = _remember(row.__class__)
    sql.write(statement, [*_adapted(fields, metadata), row.pk])


def _adapted(fields: Fields, values: Any) -> list[Any]:
    """Return the values of columns as the database takes them."""
    database = connections[router.db_for_write(Event)]
    return [
        field.get_db_prep_save(getattr(values, field.attname), database) for field in fields
    ]


@cache
def _insert(model: Any) -> tuple[str, Fields]:
    """Return the statement, and the fields of its parameters."""
    fields = model._meta.concrete_fields
    names, marks = _names(fields), _marks(fields)
    return f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({marks})", fields


@cache
def _update(model: Any) -> tuple[str, Fields]:
    """Return the statement, and the fields of its first parameters."""
    fields = _without_key(model)
    return (
        f"UPDATE {model._meta.db_table} SET ({_names(fields)}) = ({_marks(fields)}) "
        "WHERE id = %s AND version = %s RETURNING 1"
    ), fields


@cache
def _remember(model: Any) -> tuple[str, Fields]:
    """Return the statement, and the fields of a state that the row itself does not have."""
    states = model.history.model
    copied = states.tracked_fields
    names = {field.name for field in copied}
    others = [field for field in _without_key(states) if field.name not in names]
    return (
        f"INSERT INTO {states._meta.db_table} ({_names([*copied, *others])}) "
        f"SELECT {_names(copied)}, {_marks(others)} FROM {model._meta.db_table} "
        "WHERE id = %s"
    ), others


def _without_key(model: Any) -> Fields:
    return [field for field in model._meta.concrete_fields if not field.primary_key]


def _names(fields: Iterable[Field[Any, Any]]) -> str:
    return ", ".join(f'"{field.column}"' for field in fields)


def _marks(fields: Fields) -> str:
    return ", ".join(["%s"] * len(fields))
