"""Which dates of a series are deleted with one of them, asked before they are."""

from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from calendar_events.admin.base import refused_as_forbidden
from calendar_events.admin.published import PublishedAdmin
from calendar_events.admin.series_scope import DAY, MOST_SHOWN, SCOPE_CHOICES, RemovalForm
from calendar_events.models import Event
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
        return [f"{row.start_local:{DAY}}" for row in self.dates[:MOST_SHOWN]]

    @property
    def more(self) -> int:
        """The number of dates that are not shown."""
        return max(0, len(self.dates) - MOST_SHOWN)


class RemovalAdmin(PublishedAdmin):
    """Deletes events, and of a series the dates that are chosen."""

    delete_confirmation_template = "admin/calendar_events/delete_event.html"

    def render_delete_form(
        self, request: HttpRequest, context: dict[str, Any]
    ) -> HttpResponse:
        """Ask of an occurrence which dates of its series are deleted with it."""
        event = context["object"]
        if event.series is not None:
            context |= _question(event, self._actor(request, event))
        return super().render_delete_form(request, context)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the event, or the dates of its series that were chosen."""
        if obj.series_id is None and "scope" not in request.POST:
            super().delete_model(request, obj)
            return
        with refused_as_forbidden():
            number = _remove(request, obj, self._actor(request, obj), now=timezone.now())
        if number > 1:
            text = f"{number} dates of the series were deleted."
            self.message_user(request, text, messages.SUCCESS)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Delete the dates that were selected, and no others of their series."""
        for event in queryset:
            with suppress(Event.DoesNotExist):
                super().delete_model(request, event)

    def _actor(self, request: HttpRequest, event: Event) -> Actor:
        return Actor(user=request.user, institution=event.institution)


def _question(event: Any, actor: Actor) -> dict[str, Any]:
    """Return what the page asks of an occurrence."""
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


def _remove(request: HttpRequest, event: Any, actor: Actor, *, now: datetime) -> int:
    """Delete the dates that were chosen; return how many.

    Raises ``NotAllowed``, and ``VersionConflict`` when the page was about another state of
    the series, or about an event by itself, and ``Event.DoesNotExist``.
    """
    form = RemovalForm(request.POST)
    if event.series is None or not form.is_valid():
        raise VersionConflict(f"{event} was not asked about in this way.")
    seen = form.cleaned_data
    if seen["scope"] == THIS:
        records.delete(event, actor=actor, now=now, version=seen["seen_version"])
        return 1
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
    return len(going[seen["scope"]])
