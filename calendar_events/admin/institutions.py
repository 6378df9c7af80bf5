"""The port to the institutions: which there are, and what they are called.

A record carries the registry identifier of its institution and nothing else of it. The
adapter is named by ``CALENDAR_EVENTS["INSTITUTIONS"]``, a dotted path to a function without
arguments that returns the name of every institution by its registry identifier, in the
order in which they are shown. Without one, identifiers are typed and nobody checks them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.module_loading import import_string

from calendar_events.admin.widgets import LongSelect
from calendar_events.conf import conf
from institution_admin import institution_of

NONE: Final = ("", "---------")

Directory = Callable[[], Mapping[str, str]]


def new_field() -> forms.Field:
    """Return the choice of an institution by name; where none are known, a text.

    The port is asked whenever the form is shown or read; one that is unknown is refused.
    """
    if conf.institutions:
        return forms.ChoiceField(choices=choices, widget=LongSelect)
    return forms.CharField(max_length=64)


class InstitutionFilter(admin.SimpleListFilter):
    """Rows of one institution, chosen by name; for staff of the platform alone.

    Beyond ``MOST`` institutions no choice is offered; ``?institution=1001`` still works.
    """

    title = "institution"
    parameter_name = "institution"
    MOST = 100

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer the institutions that the port knows."""
        if institution_of(request) is not None or not conf.institutions:
            return []
        known = dict(list(choices())[1:])
        if len(known) > self.MOST:
            known = {key: known[key] for key in {self.value()} & known.keys() if key}
        return list(known.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(institution=self.value()) if self.value() else queryset


def registry_id_of(institution: Any) -> str:
    """Return the identifier that records carry, of what a user's ``institution`` is."""
    return str(getattr(institution, "registry_id", institution))


def owner_now(record: Any) -> str:
    """Return whose a record is now; also of an older version of it, or a deleted one."""
    version = getattr(record, "_history", None)
    if version is None:
        return str(record.institution)
    rows = type(record).objects.filter(pk=record.pk)
    states = type(version).objects.filter(id=record.pk).order_by("-history_id")
    found = rows.values_list("institution", flat=True).first()
    return found or states.values_list("institution", flat=True)[0]


def own(request: HttpRequest) -> str:
    """Return the identifier of the institution that the user is kept to, or nothing."""
    institution = institution_of(request)
    return "" if institution is None else registry_id_of(institution)


def choices() -> Iterator[tuple[str, str]]:
    directory: Directory = import_string(conf.institutions)
    yield NONE
    yield from directory().items()


def offer(fields: dict[str, forms.Field], only: str = "") -> None:
    """Let the institution among a form's fields be chosen; ``only`` this one, if any."""
    if "institution" not in fields:
        return
    if only:
        names = dict(choices()) if conf.institutions else {}
        choice = [(only, names.get(only, only))]
        fields["institution"] = forms.ChoiceField(choices=choice, initial=only)
    elif conf.institutions:
        fields["institution"] = new_field()
