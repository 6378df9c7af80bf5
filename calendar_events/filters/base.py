"""FilterSets that make only the filters that were sent, and the form that reads them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import django_filters
from django import forms
from django.utils.functional import cached_property
from rest_framework.exceptions import ErrorDetail

from calendar_events.conf import conf
from calendar_events.filters import reading
from calendar_events.filters.parameters import name_of, parameters
from calendar_events.parsing.values import Context, Unreadable
from platform_errors.errors.writes import InvalidParameters

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import QueryDict


class ParameterForm(forms.Form):
    """The parameters that were sent, in the order in which they were."""

    def __init__(self, *args: Any, fields: dict[str, forms.Field], **options: Any) -> None:
        """Take the fields: they are those of one request already."""
        super().__init__(*args, **options)
        self.fields = fields


class ParameterSet(django_filters.FilterSet):
    """Query parameters; of its filters only those that were sent are made."""

    def __init__(
        self, data: QueryDict, queryset: QuerySet[Any], *, now: datetime, **options: Any
    ) -> None:
        """Take the query and the moment for which it is answered."""
        self.context = Context(now=now, zone=_zone(data))
        self.refused: dict[str, str] = {}
        """Why parameters that can be read cannot be used, by name."""
        self.sent = dict.fromkeys(map(name_of, data))
        declared = parameters(type(self)).items()
        self.base_filters = {name: one for name, one in declared if name in self.sent}
        super().__init__(data, queryset, **options)

    def get_form_class(self) -> Any:
        """Return what makes the form: no class of its own for every request."""
        fields = {
            name: self.filters[name].field for name in self.sent if name in self.filters
        }
        return partial(ParameterForm, fields=fields)

    @cached_property
    def values(self) -> dict[str, Any]:
        """Return the values of the parameters that were sent and can be read."""
        self.form.errors  # noqa: B018 -- reading them makes the form read its values
        found: dict[str, Any] = self.form.cleaned_data
        return found

    def require_valid(self) -> None:
        """Raise ``InvalidParameters``, naming every parameter that is wrong, if any is."""
        unreadable = {
            name: ErrorDetail(error.messages[0], code=error.code)
            for name, (error, *_) in self.errors.as_data().items()
        }
        if problems := {**self.refused, **unreadable}:
            # What was sent but cannot be read is not missing: its own reason wins.
            raise InvalidParameters(problems)


def _zone(query: QueryDict) -> Any:
    """Return the zone of ``tz``; one that cannot be read is reported by its field."""
    try:
        named = query.getlist("tz")
        return reading.zone(str(named[-1])) if named else conf.site_zone
    except Unreadable:
        return conf.site_zone
