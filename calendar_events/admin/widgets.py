"""Inputs that a browser helps with, and that need no script."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.html import format_html, format_html_join

from calendar_events.parsing import zones


class LocalDateTimeInput(forms.DateTimeInput):
    """The browser's own picker of a date and a time."""

    input_type = "datetime-local"

    def __init__(self) -> None:
        """Ask for seconds, which events may have."""
        super().__init__(attrs={"step": "1"})

    def format_value(self, value: Any) -> str:
        """Return ``2031-01-15T19:00:00`` of what is written with a space."""
        return str(value or "").replace(" ", "T", 1)


class TimeZoneInput(forms.TextInput):
    """A text with the names of time zones to choose from; offsets are typed."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> Any:
        """Return the input with its list."""
        list_id = f"{name}_zones"
        text = super().render(name, value, {**(attrs or {}), "list": list_id}, renderer)
        options = format_html_join(
            "", '<option value="{}">', ((each,) for each in zones.choices())
        )
        return format_html('{}<datalist id="{}">{}</datalist>', text, list_id, options)
