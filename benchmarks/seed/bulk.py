"""Rows by the thousand: COPY on PostgreSQL, ``executemany`` on SQLite; and rows of rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from django.core.management.color import no_style
from django.db import connection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from django.db.models import Model

INDEXES: Final = """
    SELECT indexname, indexdef FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename = ANY(%s) AND indexname NOT IN (
        SELECT conname FROM pg_constraint WHERE conrelid::regclass::text = ANY(%s))
"""
STATISTICS: Final = """
    SELECT format('ALTER INDEX %%I ALTER COLUMN %%s SET STATISTICS %%s',
                  i.indexrelid::regclass, a.attnum, a.attstattarget)
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indexrelid
    WHERE i.indrelid::regclass::text = ANY(%s) AND a.attstattarget >= 0
"""


def store(rows: Iterable[Model]) -> None:
    """Store unsaved instances as they are, one statement per model, in one transaction."""
    by_model: dict[type[Model], list[Model]] = {}
    for row in rows:
        by_model.setdefault(type(row), []).append(row)
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # One writer at a time, as in a calendar that grew: parallel ones would leave
            # several counter rows for each day.
            cursor.execute("SELECT pg_advisory_xact_lock(20261120)")
        for model, instances in by_model.items():
            _store(model, instances)


def _store(model: type[Model], instances: Sequence[Model]) -> None:
    fields = [
        field
        for field in model._meta.concrete_fields
        if field.attname != "id" or instances[0].pk is not None
    ]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    table = f"{quote(model._meta.db_table)} ({columns})"
    values = (
        [
            field.get_db_prep_save(getattr(instance, field.attname), connection)
            for field in fields
        ]
        for instance in instances
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * len(fields))
            statement = f"INSERT INTO {table} VALUES ({places})"  # noqa: S608 -- names
            cursor.executemany(statement, list(values))


def repeat(model: type[Model], times: int, **changes: str) -> None:
    """Store every row so many times more, in one statement (PostgreSQL alone).

    ``changes`` names columns, and the SQL of what they hold instead: ``n`` counts from 1.
    What is not named is copied, but for identifiers, which are new.
    """
    copy_to(model, model, f"generate_series(1, {times}) n", **changes)


def copy_to(model: type[Model], source: type[Model], beside: str, **changes: str) -> None:
    """Store a row for each row of another table, beside another source of rows."""
    quote = connection.ops.quote_name
    known = {field.column for field in source._meta.concrete_fields}
    pk = model._meta.pk
    columns = [
        str(field.column)
        for field in model._meta.concrete_fields
        if field.column in changes or (field is not pk and field.column in known)
    ]
    values = ", ".join(changes.get(column, f"o.{quote(column)}") for column in columns)
    names = ", ".join(map(quote, columns))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(model._meta.db_table)} ({names}) SELECT {values} "  # noqa: S608 -- names
            f"FROM {quote(source._meta.db_table)} o, {beside}"
        )


def reset_sequences(*models: type[Model]) -> None:
    """Let the next identifiers follow those that were given."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


@contextlib.contextmanager
def without_indexes(*tables: str) -> Iterator[None]:
    """Drop the indexes that are no constraints and build them anew after: much faster."""
    if connection.vendor != "postgresql":
        yield
        return
    named = list(tables)
    with connection.cursor() as cursor:
        cursor.execute(INDEXES, [named, named])
        indexes = cursor.fetchall()
        cursor.execute(STATISTICS, [named])
        settings = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {connection.ops.quote_name(name)}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for definition in [*(row[1] for row in indexes), *(row[0] for row in settings)]:
            cursor.execute(definition)
        cursor.execute("RESET maintenance_work_mem")


def analyze() -> None:
    """Give the planner its statistics; outside a transaction also settle the tables."""
    is_alone = connection.vendor == "postgresql" and not connection.in_atomic_block
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if is_alone else "ANALYZE")
