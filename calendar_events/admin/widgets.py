"""Inputs that a browser helps with, and that need no script."""

import json
from typing import Any, Final

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from calendar_events.parsing import text, zones


class LocalDateTimeInput(forms.DateTimeInput):
    """The browser's own picker of a date and a time."""

    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(attrs={"step": "1"})

    def format_value(self, value: Any) -> str:
        """Return ``2031-01-15T19:00:00`` of what is written with a space."""
        return str(value or "").replace(" ", "T", 1)


OPTION: Final = '<option value="{}">{}</option>'
CHOSEN: Final = '<option value="{}" selected>{}</option>'


class LongSelect(forms.Select):
    """A choice among thousands, written at once: Django renders a template for each."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> Any:
        chosen = str(value or "")
        options = [
            format_html(CHOSEN if str(each) == chosen else OPTION, each, words)
            for each, words in self.choices
        ]
        named = self.build_attrs(self.attrs, {**(attrs or {}), "name": name})
        written = mark_safe("".join(options))  # noqa: S308 -- each of them is escaped
        return format_html("<select{}>{}</select>", flatatt(named), written)


class TimeZoneInput(forms.TextInput):
    """A text with the names of time zones to choose from; offsets are typed."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> Any:
        list_id = f"{name}_zones"
        typed = super().render(name, value, {**(attrs or {}), "list": list_id}, renderer)
        options = format_html_join(
            "", '<option value="{}">', ((each,) for each in zones.choices())
        )
        return format_html('{}<datalist id="{}">{}</datalist>', typed, list_id, options)


class RichTextArea(AdminTextareaWidget):
    """A textarea for HTML, over which a script puts an editor.

    The editor keeps to what the sanitiser of the interface keeps, which has the last word.
    """

    class Media:
        js = [
            "calendar_events/vendor/squire-2.4.8.js",
            "calendar_events/rich-text.js",
        ]

    def build_attrs(self, base_attrs: Any, extra_attrs: Any = None) -> dict[str, Any]:
        names = text.ALLOWED_ATTRIBUTES
        allowed = {
            "tags": sorted(text.ALLOWED_TAGS),
            "attributes": {tag: sorted(names[tag]) for tag in sorted(names)},
            "schemes": sorted(text.ALLOWED_SCHEMES),
        }
        attrs = super().build_attrs(base_attrs, extra_attrs)
        return {**attrs, "data-rich-text": json.dumps(allowed)}
