"""Django's autocomplete, where what is posted need not be a primary key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.admin.widgets import (
    AutocompleteMixin,
    AutocompleteSelect,
    AutocompleteSelectMultiple,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """A choice of several rows."""
