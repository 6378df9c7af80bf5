"""Which dates of a series are deleted with one of them, asked before they are."""

from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest

from calendar_events.admin.series_scope import DAY, MOST_SHOWN, SCOPE_CHOICES, RemovalForm
from calendar_events.models import Event, Status
from calendar_events.permissions import Actor
from calendar_events.services import records
from calendar_events.services.changesets import THIS
from calendar_events.services.series_group import remove_series
from calendar_events.services.series_preview import removable
from calendar_events.store.saving import VersionConflict


class Choice(NamedTuple):
    """Dates that are deleted together."""

    scope: str
    words: str
    dates: list[Event]

    @property
    def is_first(self) -> bool:
        """Whether this is chosen until another is."""
        return self.scope == THIS

    @property
    def shown(self) -> list[str]:
        return list(map(_of, self.dates[:MOST_SHOWN]))

    @property
    def more(self) -> int:
        """The number of dates that are not shown."""
        return max(0, len(self.dates) - MOST_SHOWN)


def _of(row: Event) -> str:
    is_there = "" if row.status != Status.TRASH else " (in the trash)"
    return f"{row.start_local:{DAY}}{is_there}"


def question(request: HttpRequest, event: Any) -> dict[str, Any]:
    """Return what the page asks of an occurrence; of other events nothing."""
    if event.series is None:
        return {}
    actor = Actor(user=request.user, institution=event.institution)
    seen = {"seen_version": event.version, "seen_sequence": event.series.sequence}
    going = removable(event.series, actor=actor, pk=event.pk)
    return {
        "removal": RemovalForm(initial=seen),
        "choices": [
            Choice(scope, words, going[scope])
            for scope, words in SCOPE_CHOICES
            if scope in going
        ],
    }


def is_chosen(request: HttpRequest, event: Any) -> bool:
    """Return whether an event is an occurrence, or was when the page asked."""
    return event.series is not None or "scope" in request.POST


def remove(request: HttpRequest, event: Any, *, now: datetime) -> None:
    """Delete the dates that were chosen, and say how many if there are several.

    Raises ``NotAllowed``, and ``VersionConflict`` when the page was about another state of
    the series, or about an event by itself, and ``Event.DoesNotExist``.
    """
    form = RemovalForm(request.POST)
    if event.series is None or not form.is_valid():
        raise VersionConflict(f"{event} was not asked about in this way.")
    seen = form.cleaned_data
    actor = Actor(user=request.user, institution=event.institution)
    if seen["scope"] == THIS:
        records.delete(event, actor=actor, now=now, version=seen["seen_version"])
        return
    going = removable(event.series, actor=actor, pk=event.pk)
    remove_series(
        actor=actor,
        pk=event.pk,
        scope=seen["scope"],
        now=now,
        for_good=True,
        expected_version=seen["seen_version"],
        expected_sequence=seen["seen_sequence"],
    )
    number = len(going[seen["scope"]])
    messages.success(request, f"Dates of the series that were deleted: {number}.")
