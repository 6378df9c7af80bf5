"""Django's widgets for admin, mended.

Autocompletes take it that what is posted need not be a primary key, moments are two inputs
of the browser's own, and every input of a table of rows has a name.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from django.contrib.admin.widgets import (
    AutocompleteMixin,
    AutocompleteSelect,
    AutocompleteSelectMultiple,
    RelatedFieldWidgetWrapper,
)
from django.forms import BaseInlineFormSet, CheckboxInput, MultiWidget, TimeInput, Widget
from django.forms.widgets import DateInput, SplitDateTimeWidget
from django.utils.text import capfirst

MAX_ID = 2**63 - 1


def is_id(value: Any) -> bool:
    """Return whether a database takes the text as an integer."""
    text = str(value)
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= MAX_ID


class _IdsOnly(AutocompleteMixin):
    """Look up nothing but integers when a form is shown again with what was posted."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        """Return the options for what can be a key."""
        return super().optgroups(name, [each for each in value if is_id(each)], attr)


class IdAutocompleteSelect(_IdsOnly, AutocompleteSelect):
    """A choice of one row."""


class IdAutocompleteSelectMultiple(_IdsOnly, AutocompleteSelectMultiple):
    """A choice of several rows, each with a button that removes it."""

    known: Mapping[str, Any] = {}
    """Rows by their keys that need not be looked up to be shown."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        """Return the options for rows that are known, or look all of them up."""
        if not value or not self.known.keys() >= set(value):
            return super().optgroups(name, value, attr)
        words = self.choices.field.label_from_instance
        options = [
            self.create_option(name, each, words(self.known[each]), selected=True, index=at)
            for at, each in enumerate(value)
        ]
        return [(None, options, 0)]

    def build_attrs(self, base_attrs: Any, extra_attrs: Any = None) -> dict[str, Any]:
        """Offer no button that removes all: it would stand in the list of the chosen."""
        attrs: dict[str, Any] = super().build_attrs(base_attrs, extra_attrs)
        return attrs | {"data-allow-clear": "false"}


class NativeSplitDateTime(SplitDateTimeWidget):
    """A date and a time, each with the browser's own picker; works by keyboard."""

    template_name = "django/forms/widgets/splitdatetime.html"
    supports_microseconds = False

    def __init__(self, label: str = "") -> None:
        """Name both inputs after what they are about."""
        day = {"type": "date", "aria-label": f"{label}, date"}
        hour = {"type": "time", "aria-label": f"{label}, time", "step": "1"}
        MultiWidget.__init__(
            self,
            [DateInput(attrs=day, format="%Y-%m-%d"), TimeInput(attrs=hour)],
        )

    def decompress(self, value: Any) -> tuple[date | None, time | None]:
        """Return the two parts; an address may bring any text, which fills in nothing."""
        return super().decompress(value if isinstance(value, datetime) else None)


def name_input(widget: Widget, label: Any) -> None:
    """Label an input that has no visible label."""
    if isinstance(widget, RelatedFieldWidgetWrapper):
        widget = widget.widget
    if not isinstance(widget, MultiWidget):
        widget.attrs["aria-label"] = capfirst(str(label))


class NamedFormSet(BaseInlineFormSet):
    """Rows of a table, whose box for the deletion has a name."""

    @classmethod
    def get_deletion_widget(cls) -> Any:  # the stubs say a class; Django takes both
        return CheckboxInput(attrs={"aria-label": "Delete this row"})
