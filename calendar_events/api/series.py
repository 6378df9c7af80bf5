"""``GET {events_root}/series/{id}``: the rule of an event that repeats, and its dates."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api import access, conditional
from calendar_events.api.conditional import Version
from calendar_events.api.feeds import CONTENT_TYPE, CalendarRenderer, series_text
from calendar_events.api.pagination import (
    DEFAULT_PER_PAGE,
    MAX_OFFSET,
    NoSuchPage,
    address_of,
)
from calendar_events.api.reading import ListView
from calendar_events.api.schema.components import (
    CONDITIONS,
    ETAG,
    FIELDS,
    IDENTIFIER,
    LAST_MODIFIED,
    PASSWORD,
)
from calendar_events.conf import conf
from calendar_events.documents import addresses
from calendar_events.documents.series import SeriesPage, document
from calendar_events.filters.base import by_parameter
from calendar_events.filters.filtersets import SeriesFilter
from calendar_events.models import Event, Series, Status
from calendar_events.models.visibility import EVENT, Viewer
from calendar_events.parsing.slugs import identifier

SERIES = "series"
PAGES: dict[str, Any] = vars(SeriesFilter)["base_filters"]


class SeriesView(ListView):
    """A series, as far as the caller may see its occurrences."""

    queryset = Event.objects.all()
    filterset_class = SeriesFilter
    archive = EVENT
    kind = SERIES
    group = examples = SERIES
    operation_id = "readSeries"
    shape = SeriesPage
    parameters = [
        *(IDENTIFIER, FIELDS, ETAG, LAST_MODIFIED, *CONDITIONS),
        *(
            OpenApiParameter(name, int, description=str(one.extra["help_text"]))
            for name, one in PAGES.items()
        ),
    ]

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Read a series and a page of its occurrences."""
        occurrences = self.occurrences()
        query = by_parameter(request.query_params)
        filterset = SeriesFilter(query, occurrences, now=self.now)
        filterset.require_valid()
        total = occurrences.count()
        series = Series.objects.filter(pk=identifier(str(self.kwargs["pk"]))).first()
        if series is None or not total:
            raise access.RecordNotFound(SERIES)
        page = filterset.values.get("page", 1)
        size = min(filterset.values.get("per_page", DEFAULT_PER_PAGE), conf.max_per_page)
        pages = -(-total // size)
        if page > pages:
            raise NoSuchPage(EVENT)
        asked = [] if not request.query_params else [page, size, request.GET.get("_fields")]
        version = version_of(series, total, self.viewer, *asked)

        def answer() -> Response:
            start = min((page - 1) * size, MAX_OFFSET)
            rows = list(occurrences.order_by("position", "pk")[start : start + size])
            body = document(series, rows, unseen(series, occurrences))
            body |= {"occurrences_total": total, "total_pages": pages}
            body |= self.links(page, pages, size)
            return Response(addresses.fill(addresses.dumps(body)))

        return conditional.respond(request, version, answer)

    def occurrences(self) -> Any:
        """Return the occurrences that the caller may see."""
        rows = Event.objects.dates_for(self.viewer, self.now)
        return rows.filter(series=identifier(str(self.kwargs["pk"])))

    def links(self, page: int, pages: int, size: int) -> dict[str, str]:
        """Return the addresses of the pages before and after."""
        here = f"{address_of(self.request)}?per_page={size}&page="
        links = {"next_rest_url": f"{here}{page + 1}"} if page < pages else {}
        return links | ({"previous_rest_url": f"{here}{page - 1}"} if page > 1 else {})


class SeriesCalendar(SeriesView):
    """A series as a calendar."""

    renderer_classes = [CalendarRenderer]
    operation_id = "readSeriesCalendar"
    parameters = [IDENTIFIER, PASSWORD, ETAG, LAST_MODIFIED, *CONDITIONS]

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Read a series as a calendar."""
        occurrences = self.occurrences().opened_with(request.GET.get("password", ""))
        series = Series.objects.filter(pk=identifier(str(self.kwargs["pk"]))).first()
        if series is None or not occurrences.exists():
            raise access.RecordNotFound(SERIES)
        body = series_text(series, occurrences).encode()
        version = Version(
            etag=conditional.entity_tag_of(body), modified_at=series.modified_at
        )
        return conditional.respond(
            request, version, lambda: HttpResponse(body, content_type=CONTENT_TYPE)
        )


def unseen(series: Series, shown: Any) -> frozenset[datetime]:
    """Return the dates of the occurrences besides those that are shown."""
    if not series.rdates:  # nobody asks
        return frozenset()
    every = Event.objects.filter(series=series.pk).exclude(status=Status.TRASH)
    walls = (rows.values_list("original_start_local", flat=True) for rows in (every, shown))
    return frozenset(next(walls)).difference(next(walls))


def version_seen(series: Series, viewer: Viewer, now: datetime) -> Version:
    """Return the version of a series as a viewer would GET it, without parameters."""
    rows = Event.objects.dates_for(viewer, now).filter(series=series.pk)
    return version_of(series, rows.count(), viewer)


def version_of(series: Series, total: int, viewer: Viewer, *asked: object) -> Version:
    """Return the version of a series of which a viewer sees so many occurrences."""
    tag = conditional.entity_tag(
        SERIES, series.pk, series.sequence, series.horizon, total, viewer.key, *asked
    )
    return Version(etag=tag, modified_at=series.modified_at)
