"""The port to whoever knows which institutions there are, and what they are called.

A record carries the registry identifier of its institution and nothing else of it. The
adapter is named by ``CALENDAR_EVENTS["INSTITUTIONS"]``, a dotted path to a function without
arguments that returns the name of every institution by its registry identifier, in the
order in which they are shown. Without one, identifiers are typed and nobody checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from django import forms
from django.utils.module_loading import import_string

from calendar_events.conf import conf

if TYPE_CHECKING:
    from collections.abc import Iterator

NONE: Final = ("", "---------")

Directory = Callable[[], Mapping[str, str]]


class InstitutionField(forms.ChoiceField):
    """The institution of a new record, chosen by name; one that is unknown is refused."""

    def __init__(self) -> None:
        """Ask the port whenever the form is shown or read."""
        super().__init__(choices=choices)


def choices() -> Iterator[tuple[str, str]]:
    """Yield what a choice of an institution offers."""
    directory: Directory = import_string(conf.institutions)
    yield NONE
    yield from directory().items()


def offer(fields: dict[str, forms.Field]) -> None:
    """Let the institution among a form's fields be chosen instead of typed."""
    if "institution" in fields and conf.institutions:
        fields["institution"] = InstitutionField()
