"""A column and an index that Django does not have."""

from datetime import datetime
from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Index, Model

from calendar_events.parsing import dates


class WallClockField(models.Field):
    """A naive ``datetime``, which Django's own ``DateTimeField`` refuses under ``USE_TZ``.

    The organiser's intent is the wall clock; the instant follows from it and the zone, and
    changes when a government changes its clocks.
    """

    description = "Date and time without a zone"

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """``timestamp`` without a zone; SQLite keeps the text."""
        return "timestamp(0)" if connection.vendor == "postgresql" else "text"

    def from_db_value(self, value: Any, *_args: Any) -> datetime | None:
        return self.to_python(value)

    def to_python(self, value: Any) -> datetime | None:
        """Accept a naive datetime or its text; raise ``ValidationError`` otherwise."""
        if value is None or value == "":
            return None
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value)
            except ValueError as error:
                raise ValidationError("Enter a date and a time.") from error
        if not isinstance(value, datetime) or value.tzinfo is not None:
            raise ValidationError("Enter a date and a time without a zone.")
        return value.replace(microsecond=0)

    def get_prep_value(self, value: Any) -> datetime | None:
        return self.to_python(super().get_prep_value(value))

    def get_db_prep_value(
        self,
        value: Any,
        connection: BaseDatabaseWrapper,
        prepared: bool = False,  # noqa: FBT001, FBT002 -- Django's signature
    ) -> Any:
        """Return what the driver wants: text for SQLite."""
        value = value if prepared else self.get_prep_value(value)
        return connection.ops.adapt_datetimefield_value(value)

    def value_to_string(self, obj: models.Model) -> str:
        """Serialise for fixtures and history."""
        value = self.value_from_object(obj)
        return dates.written(value) if value else ""


class SubstringIndex(GinIndex):
    """Trigrams of the folded text, in which PostgreSQL finds words anywhere (``pg_trgm``).

    Other databases read every text; there it is of the key alone, which costs nothing.
    """

    def __init__(self, name: str = "", **options: Any) -> None:
        # Written at once, not gathered until one writer in hundreds enters all.
        options = {"fields": ["search_text"], "fastupdate": False, **options}
        super().__init__(name=name, **{"opclasses": ["gin_trgm_ops"], **options})

    def create_sql(
        self,
        model: type[Model],
        schema_editor: BaseDatabaseSchemaEditor,
        using: str = "",
        **options: Any,
    ) -> Any:
        """Return the statement that makes it."""
        if schema_editor.connection.vendor == "postgresql":
            return super().create_sql(model, schema_editor, using, **options)
        return Index(fields=["id"], name=self.name).create_sql(model, schema_editor)
