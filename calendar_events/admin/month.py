"""A month of events, to look over and to click."""

from calendar import Calendar, day_name, month_name
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from dateutil.relativedelta import relativedelta
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import Count, DateField, F, QuerySet, Window
from django.db.models.functions import Cast, RowNumber
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from calendar_events.admin import institutions
from calendar_events.admin.pages import Button, Page
from calendar_events.admin.widgets import LongSelect
from calendar_events.conf import conf
from calendar_events.models import Status
from institution_admin import institution_of

MOST_OF_A_DAY = 5
"""Events that a day shows; the list has the others."""
YEARS = range(1900, 2200)


def read_month(text: str) -> date | None:
    """Return the first day of a month such as ``2026-11``; ``None`` if it is not shown."""
    try:
        first = date.fromisoformat(f"{text}-01")
    except ValueError:
        return None
    return first if first.year in YEARS else None


class Day(NamedTuple):
    """A day of the table."""

    day: date
    events: list[Any]
    more: int
    """The number of events that are not shown."""
    list_url: str
    add_url: str


class DayFilter(admin.SimpleListFilter):
    """Events that begin on one day, to which the month leads; the list offers none."""

    title = "day"
    parameter_name = "day"

    def has_output(self) -> bool:
        """Be there only where a day is asked for."""
        return self.value() is not None

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        day = self.value()
        return [(day, day)] if day else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what begins that day, in the time zone of each event."""
        try:
            day = date.fromisoformat(self.value() or "")
            after = day + timedelta(days=1)
        except (ValueError, OverflowError) as error:
            raise IncorrectLookupParameters from error
        return queryset.filter(
            start_local__gte=f"{day} 00:00:00", start_local__lt=f"{after} 00:00:00"
        )


class MonthPage(Page):
    """The events that begin in a month, and those that go on into it, by weeks."""

    name = "month"
    route = "month/"

    def list_button(self, request: HttpRequest, model_admin: Any) -> Button:
        return Button("Month", model_admin.url(self.name))

    def view(self, request: HttpRequest, model_admin: Any, record: None) -> HttpResponse:
        today = timezone.localtime(timezone=conf.site_zone).date()
        asked = request.GET.get("month")
        month = read_month(asked or "")
        offered = _institutions(request)
        chosen = request.GET.get("institution", "")
        chosen = chosen if chosen in dict(offered) else ""
        rows = model_admin.get_queryset(request).exclude(status=Status.TRASH)
        if chosen:
            rows = rows.filter(institution=chosen)
        shown = month or today.replace(day=1)
        name = f"{month_name[shown.month]} {shown.year}"
        # From Monday on, with the days around the month.
        weeks = Calendar().monthdatescalendar(shown.year, shown.month)
        first, last = weeks[0][0], weeks[-1][-1]
        days = _days(request, model_admin, rows, weeks, chosen=chosen)
        going_on = list(_running(rows, first)[: MOST_OF_A_DAY + 1])
        shown_of_them = sorted(
            going_on[:MOST_OF_A_DAY], key=lambda event: event.start_local
        )
        return model_admin.render_page(
            request,
            "month.html",
            title=f"Events in {name}",
            name=name,
            is_bad=asked is not None and month is None,
            years=YEARS,
            month=f"{shown:%Y-%m}",
            shown=shown,
            weekdays=list(day_name),
            today=today,
            weeks=[[days[day] for day in week] for week in weeks],
            first=first,
            last=last,
            going_on=_labelled(model_admin, shown_of_them),
            is_more_going_on=len(going_on) > MOST_OF_A_DAY,
            previous=_link(shown - relativedelta(months=1), chosen),
            next=_link(shown + relativedelta(months=1), chosen),
            now=_link(today, chosen),
            institution_choice=_select(offered, chosen),
            chosen=chosen,
        )


def _institutions(request: HttpRequest) -> list[tuple[str, str]]:
    if institution_of(request) is not None or not conf.institutions:
        return []
    return list(institutions.choices())


def _link(month: date, chosen: str) -> str:
    if month.year not in YEARS:
        return ""
    query = {"month": f"{month:%Y-%m}"} | ({"institution": chosen} if chosen else {})
    return f"?{urlencode(query)}"


def _days(
    request: HttpRequest,
    model_admin: Any,
    rows: QuerySet[Any],
    weeks: list[list[date]],
    *,
    chosen: str,
) -> dict[date, Day]:
    found: dict[date, list[Any]] = {}
    for event in _first_of_each_day(rows, weeks[0][0], weeks[-1][-1]):
        found.setdefault(event.day, []).append(event)
    may_add = model_admin.has_add_permission(request)
    scope = {"institution": chosen} if chosen else {}
    days = {}
    for day in (day for week in weeks for day in week):
        events = found.get(day, [])
        listed = urlencode({"day": str(day), **scope})
        start = urlencode({"start_date": f"{day} 09:00:00", **scope})
        days[day] = Day(
            day=day,
            events=_labelled(model_admin, events),
            more=events[0].of_day - len(events) if events else 0,
            list_url=f"{model_admin.url('changelist')}?{listed}",
            add_url=f"{model_admin.url('add')}?{start}" if may_add else "",
        )
    return days


def _labelled(model_admin: Any, events: Iterable[Any]) -> list[Any]:
    now = timezone.now()
    labels = dict(Status.choices)
    for event in events:
        event.url = model_admin.url("change", event.pk)
        status = event.status_at(now)
        event.shown_status = "" if status == Status.PUBLISH else labels[status]
    return list(events)


def _select(offered: list[tuple[str, str]], chosen: str) -> str:
    """Return the choice of an institution as HTML, nothing where there is none."""
    select = LongSelect({"id": "institution"}, offered)
    return select.render("institution", chosen) if offered else ""


def _columns(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Leave the long columns where they are."""
    return rows.select_related(None).only(
        *("title", "status", "published_at", "start_local", "end_local", "all_day")
    )


def _first_of_each_day(rows: QuerySet[Any], first: date, last: date) -> QuerySet[Any]:
    """Return a few events of each day, each with ``day`` and how many are ``of_day``."""
    after = last + timedelta(days=1)
    ours = rows.filter(
        start_local__gte=f"{first} 00:00:00", start_local__lt=f"{after} 00:00:00"
    )
    order = ["start_local", "pk"]
    return (
        _columns(ours.annotate(day=Cast("start_local", DateField())))
        .annotate(
            of_day=Window(Count("pk"), partition_by=[F("day")]),
            place=Window(RowNumber(), partition_by=[F("day")], order_by=order),
        )
        .filter(place__lte=MOST_OF_A_DAY)
        .order_by(*order)
    )


def _running(rows: QuerySet[Any], first: date) -> QuerySet[Any]:
    """Return what began before a day and has not ended when it begins, by its end.

    In the order of the index ``event_end_local``: by its begin, all of the past is read.
    """
    start = f"{first} 00:00:00"
    running = rows.filter(start_local__lt=start, end_local__gt=start)
    return _columns(running).order_by("end_local", "start_local", "pk")
