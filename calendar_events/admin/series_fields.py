"""When an event repeats, as its form shows it and as it is typed."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from django import forms

from calendar_events.admin.forms import CHANGED_MEANWHILE
from calendar_events.models import Event, Series
from calendar_events.parsing import dates
from calendar_events.services import occurrences
from calendar_events.services.changesets import FOLLOWING

DATES: Final = {
    "rdate": lambda series: series.pattern.rdates,
    "exdate": lambda series: series.pattern.exdates,
}
"""The fields of single dates, and what a series has of them."""
REPEATS: Final = ("rrule", *DATES)
_BETWEEN = re.compile(r"[,\r\n]")


class DatesField(forms.CharField):
    """Dates, each on a line of its own.

    What was shown comes back with what was typed. Only so can it be told what is new: other
    dates of a series may be left out while a form is open.
    """

    widget = forms.Textarea(attrs={"rows": 3, "cols": 24})

    def __init__(self, *, label: str, help_text: str) -> None:
        super().__init__(
            label=label, help_text=help_text, required=False, show_hidden_initial=True
        )

    def prepare_value(self, value: Any) -> Any:
        """Return the text of a list."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Return the list of what is in a text."""
        lines = value if isinstance(value, list) else _BETWEEN.split(value or "")
        return [line.strip() for line in lines if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare dates, and not how their lines end."""
        return bool(self.to_python(initial) != self.to_python(data))


def is_version(event: Any) -> bool:
    """Return whether this is a former state of an event.

    To go back to it is about one date, and says nothing of how it repeats.
    """
    return hasattr(event, "_history")


def shown(event: Event) -> dict[str, Any]:
    """Return when an event repeats, as its form shows it."""
    series = None if is_version(event) else event.series
    if series is None:
        return {"rrule": "", **{name: [] for name in DATES}}
    listed = {name: list(_texts(series, of)) for name, of in DATES.items()}
    return {"rrule": series.rule_text, **listed}


def sent(form: Any, body: dict[str, Any]) -> dict[str, Any]:
    """Return a body without the single dates that nobody changed.

    Those before a date are no matter of it and of all that follow.
    """
    unchanged = DATES.keys() - set(form.changed_data)
    kept = {name: value for name, value in body.items() if name not in unchanged}
    event, series = form.stored, form.stored.series
    if series is None or form.cleaned_data.get("scope") != FOLLOWING:
        return kept
    first = occurrences.original(event)
    for name in DATES.keys() & kept.keys():
        texts = _texts(series, DATES[name])
        earlier = {text for text, wall in texts.items() if wall < first}
        kept[name] = [text for text in kept[name] if text not in earlier]
    return kept


def require_same(form: Any) -> None:
    """Require that single dates that somebody changed are still as they were shown."""
    for name in DATES.keys() & set(form.changed_data):
        field = form.fields[name]
        seen = field.to_python(form.data.get(form[name].html_initial_name))
        if seen != form.initial.get(name, []):
            form.add_error(None, CHANGED_MEANWHILE)
            return


def _texts(series: Series, of: Callable[[Series], Any]) -> dict[str, datetime]:
    """Return single dates by their texts: a day where the time is that of the others."""
    usual = series.start_local.time()
    return {
        wall.date().isoformat() if wall.time() == usual else dates.written(wall): wall
        for wall in sorted(of(series))
    }
