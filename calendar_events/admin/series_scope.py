"""Whom an edit of an occurrence is for, and what it would change, before it does."""

import hashlib
import json
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from calendar_events.admin.forms import sentence
from calendar_events.parsing.slugs import identifier
from calendar_events.permissions import NotAllowed
from calendar_events.services import series_preview
from calendar_events.services.changesets import ALL, FOLLOWING, THIS, InvalidFields
from calendar_events.services.series_preview import DateChange

SCOPE_CHOICES: Final = (
    (THIS, "this date"),
    (FOLLOWING, "this date and all that follow"),
    (ALL, "all dates of the series"),
)
DAY: Final = "%a %d %b %Y, %H:%M"
MOST_SHOWN: Final = 20
"""Dates that are listed; of more their number is said."""
CHANGES: Final = "This changes"
MAKES: Final = "The event will take place on"


class RemovalForm(forms.Form):
    """What the page that asks sends: which dates, and of which state of the series."""

    scope = forms.ChoiceField(choices=SCOPE_CHOICES)
    seen_version = forms.IntegerField(widget=forms.HiddenInput)
    seen_sequence = forms.IntegerField(widget=forms.HiddenInput)


class SeriesFilter(admin.SimpleListFilter):
    """The dates of one series, to which the form of each leads; the list offers none."""

    title = parameter_name = "series"

    def has_output(self) -> bool:
        """Be there only where a series is asked for."""
        return self.value() is not None

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        series = self.value()
        return [(series, series)] if series else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the dates of the series. Raises ``IncorrectLookupParameters``."""
        value = self.value() or ""
        if not (value.isascii() and value.isdigit()):
            raise IncorrectLookupParameters
        return queryset.filter(series=identifier(value))


def require_seen(form: Any) -> None:
    """Require that whoever changes or makes more than one date has seen which.

    The form is shown again with the dates, and saved when it is sent unchanged.
    """
    event, now = form.stored, timezone.now()
    if event is None:  # brought back by hand
        return
    series = event.series
    scope = (form.cleaned_data.get("scope") or THIS) if series else THIS
    if scope == THIS and (series or "recurrence" not in form.changes):
        return
    if series:
        form.changes = series_preview.differing(event, form.changes, now=now)
    state = series.sequence if series else event.version
    text = json.dumps(
        [scope, state, form.body(is_new=False)], sort_keys=True, cls=DjangoJSONEncoder
    )
    seen = hashlib.sha256(text.encode()).hexdigest()
    if form.cleaned_data.get("confirmed") != seen:
        written = {"actor": form.actor, "pk": event.pk, "changes": form.changes.copy()}
        try:
            if series:
                dates = series_preview.preview_series(scope=scope, now=now, **written)
            else:
                dates = series_preview.preview_beginning(now=now, **written)
        except InvalidFields as error:
            for name, why in error.reasons.items():
                form.add_error(name if name in form.fields else None, sentence(why))
            return
        except NotAllowed as error:
            form.add_error(None, str(error))
            return
        form.data = form.data.copy()
        form.data["confirmed"] = seen
        form.to_confirm = in_words(dates, CHANGES if series else MAKES)
        form.add_error(None, form.to_confirm)
    form.changes["scope"] = scope


def in_words(dates: list[DateChange], begin: str) -> str:
    """Return which dates are changed or made, as a list for people."""
    shown = format_html_join("", "<li>{}</li>", ((_of(one),) for one in dates[:MOST_SHOWN]))
    more = len(dates) - MOST_SHOWN
    rest = format_html("<li>and {} more</li>", more) if more > 0 else ""
    plural = "date" if len(dates) == 1 else "dates"
    return format_html(
        "{} {} {}. Save once more to do so.<ul>{}{}</ul>",
        *(begin, len(dates), plural, shown, rest),
    )


def _of(one: DateChange) -> str:
    before = f"{one.before:{DAY}}" if one.before else ""
    after = f"{one.after:{DAY}}" if one.after else ""
    if not before:
        return f"{after}: new"
    if not after:
        return f"{before}: goes to the trash"
    return before if before == after else f"{before} becomes {after}"
