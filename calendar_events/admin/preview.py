"""A record as readers, programs and calendars will get it, before it is published."""

import json
from datetime import datetime
from functools import singledispatch
from typing import Any, NamedTuple

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from calendar_events.admin.pages import Button, Page
from calendar_events.api import feeds, responses
from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.models.kinds import kind_of
from calendar_events.models.visibility import ANONYMOUS
from calendar_events.parsing import text
from calendar_events.store import singles

Record = Event | Venue | Organizer


class Shown(NamedTuple):
    """A record for readers."""

    name: str
    facts: list[tuple[str, str]]
    """Labels, each with its text."""
    image: Any
    description: SafeString


class PreviewPage(Page):
    """A stored record as everybody would see it, were it published."""

    name = "preview"
    route = "<str:object_id>/preview/"

    def record_button(
        self, request: HttpRequest, model_admin: Any, record: Record
    ) -> Button:
        return Button("Preview", model_admin.url(self.name, record.pk))

    def view(self, request: HttpRequest, model_admin: Any, record: Record) -> HttpResponse:
        now = timezone.now()
        return model_admin.render_page(
            request,
            "preview.html",
            title=f"Preview of {model_admin.opts.verbose_name}",
            record=record,
            status_shown=Status(record.status_at(now)).label,
            change_url=model_admin.url("change", record.pk),
            shown=shown(request, record),
            document=document(record, now),
            calendar=calendar(record, now),
        )


def shown(request: HttpRequest, record: Record) -> Shown:
    """Return a record for readers; its description is sanitised again.

    Of what is linked only what the user meets in admin is named.
    """
    return Shown(
        name=record.display_name,
        facts=[(label, value) for label, value in facts(record, request) if value],
        image=record.image,
        # What ``html`` returns is safe, whatever the column holds.
        description=mark_safe(text.html(record.description)),  # noqa: S308
    )


@singledispatch
def facts(record: Any, _request: HttpRequest) -> list[tuple[str, str]]:
    """Return what is shown of a record besides its name, picture and description."""
    return [("Website", record.website)]


@facts.register
def _(record: Event, request: HttpRequest) -> list[tuple[str, str]]:
    venues = record.venues.order_by("eventvenue__position")
    organizers = record.organizers.order_by("eventorganizer__position")
    return [
        ("When", _when(record)),
        ("Venues", _names(request, venues)),
        ("Organizers", _names(request, organizers)),
        ("Categories and tags", _names(request, record.terms.order_by("sort_text"))),
        ("Cost", record.cost),
        ("Website", record.website),
    ]


@facts.register
def _(record: Venue, _request: HttpRequest) -> list[tuple[str, str]]:
    place = [record.address, record.zip, record.city, record.country]
    address = ", ".join(filter(None, place))
    return [("Address", address), ("Phone", record.phone), ("Website", record.website)]


@facts.register
def _(record: Organizer, _request: HttpRequest) -> list[tuple[str, str]]:
    return [("Email", record.email), ("Phone", record.phone), ("Website", record.website)]


def _names(request: HttpRequest, linked: QuerySet[Any]) -> str:
    seen = admin.site.get_model_admin(linked.model).get_queryset(request)
    now, labels = timezone.now(), dict(Status.choices)
    names = []
    for row in linked.filter(pk__in=seen.order_by().values("pk")):
        status = Status.PUBLISH if isinstance(row, Term) else row.status_at(now)
        hint = "" if status == Status.PUBLISH else f" ({labels[status]})"
        names.append(f"{row.name}{hint}")
    return ", ".join(names)


def _when(event: Event) -> str:
    start, end = event.start_local, event.end_local
    if event.all_day:
        days = [f"{moment:%Y-%m-%d}" for moment in (start, end)]
        return f"{' to '.join(dict.fromkeys(days))}, all day"
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    return f"{start:%Y-%m-%d %H:%M} to {until}, {event.timezone}"


def document(record: Record, now: datetime) -> str:
    """Return the JSON document that everybody would get, indented."""
    kind = kind_of(record).singular
    single = singles.of_record(record)
    body = responses.single_body(kind, single, viewer=ANONYMOUS, now=now)
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False)


def calendar(record: Record, now: datetime) -> str:
    """Return the event's iCalendar text; other records have none of their own."""
    if not isinstance(record, Event):
        return ""
    return feeds.single_calendar(record.pk, viewer=ANONYMOUS, now=now)
