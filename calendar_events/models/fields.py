"""A wall clock: the date and time on the wall where the event is, without a zone."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

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
        if value is None or connection.vendor == "postgresql":
            return value
        return dates.written(value)

    def value_to_string(self, obj: models.Model) -> str:
        """Serialise for fixtures and history."""
        value = self.value_from_object(obj)
        return dates.written(value) if value else ""
