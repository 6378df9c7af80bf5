"""The dialect of query parameters, as form fields and their widgets (spec 4.3).

A list may be written in three ways: ``a=1,2``, ``a[]=1&a[]=2`` and ``a=1&a=2``. Of a single
value that is sent several times the last one counts, as callers of the peer expect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from calendar_events.parsing.values import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import QueryDict

    from calendar_events.parsing.values import Context

_INDEX = re.compile(r"\[[^\[\]]*\]$")


def name_of(key: str) -> str:
    """Return the name of a parameter: ``a[]`` and ``a[0]`` are ``a``."""
    return _INDEX.sub("", key) if key.endswith("]") else key


class AllValues(forms.Widget):
    """Takes every value of a parameter, in the order in which they were sent."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        """Return the values, in any of the syntaxes."""
        query: QueryDict = data
        sent = (values for key, values in query.lists() if name_of(key) == name)
        return [value for values in sent for value in values]


class LastValue(AllValues):
    """Takes the last value of a parameter."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return the value."""
        values = super().value_from_datadict(data, files, name)
        # One that cannot be stored is refused wherever it stands.
        return next((value for value in values if "\x00" in value), values[-1])


class ParameterField(forms.Field):
    """A value that was sent; ``read`` makes of its text what the list understands."""

    widget: type[AllValues] = LastValue

    def __init__(self, *, read: Callable[[Any], Any], **options: Any) -> None:
        """Take the reader, which raises ``Unreadable``, and Django's options."""
        super().__init__(**options)
        self.read = read

    def clean(self, value: Any) -> Any:
        """Return the value. Raises ``ValidationError`` with the reader's own words."""
        texts = [value] if isinstance(value, str) else value
        try:
            if any("\x00" in text for text in texts):
                raise Unreadable("This holds a NUL character.")  # noqa: TRY301 -- one place
            return self.read(value)
        except Unreadable as error:
            raise ValidationError(str(error), code=error.code) from error


class ListField(ParameterField):
    """Several values."""

    widget = AllValues


class DateField(ParameterField):
    """A date in any of the accepted forms, read in the zone of the request."""

    def __init__(
        self, *, read: Callable[[str, Context], Any], context: Context, **options: Any
    ) -> None:
        """Take also what it is read with."""
        super().__init__(read=lambda text: read(text, context), **options)
