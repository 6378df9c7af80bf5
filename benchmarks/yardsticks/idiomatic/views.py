"""Generic views with a paginator and a filter set."""

from typing import Any, Final

import django_filters
from django.db.models import CharField, Model, OuterRef, Prefetch, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils import timezone
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import AllowAny
from rest_framework.response import Response

from benchmarks.yardsticks import envelope, shapes
from benchmarks.yardsticks.idiomatic.serializers import (
    EventDetailSerializer,
    EventSerializer,
)
from calendar_events.models import (
    DayCount,
    Event,
    EventOrganizer,
    EventVenue,
    Organizer,
    RecordQuerySet,
    Term,
    Venue,
)

STORED_TEXTS: Final = shapes.names(
    "fragment protected_fragment feed_text protected_feed_text json_ld search_text "
    "sort_text"
)


class EventFilter(django_filters.FilterSet):
    """Some of the product's parameters."""

    start_date = django_filters.DateFilter(field_name="start_utc", lookup_expr="gte")
    end_date = django_filters.DateFilter(field_name="end_utc", lookup_expr="lte")
    starts_before = django_filters.DateFilter(field_name="start_utc", lookup_expr="lt")
    starts_after = django_filters.DateFilter(field_name="start_utc", lookup_expr="gt")
    search = django_filters.CharFilter(field_name="title", lookup_expr="icontains")
    categories = django_filters.BaseInFilter(field_name="terms")
    tags = django_filters.BaseInFilter(field_name="terms")
    venue = django_filters.BaseInFilter(field_name="venues")
    organizer = django_filters.BaseInFilter(field_name="organizers")
    featured = django_filters.BooleanFilter()
    ticketed = django_filters.BooleanFilter()
    status = django_filters.CharFilter()

    class Meta:
        model = Event
        fields: list[str] = []


class Pages(PageNumberPagination):
    page_size = 10
    max_page_size = 50
    page_size_query_param = "per_page"

    def get_paginated_response(self, data: Any) -> Response:
        first, last = envelope.window(timezone.now())
        page = self.page
        if page is None:
            raise RuntimeError("a page is framed before there is one")
        total = page.paginator.count
        shown = {"first": first, "last": last}
        frame = envelope.rest(page.number, page.paginator.per_page, total, shown)
        return Response(
            {"events": data, **frame},
            headers={
                "X-TEC-Total": str(total),
                "X-TEC-TotalPages": str(frame["total_pages"]),
            },
        )


def events() -> RecordQuerySet:
    """Return published events with everything that is shown of them."""
    count = (
        DayCount.objects.filter(
            day="0001-01-01",
            scope=Concat(
                Value("term:"), Cast(OuterRef("pk"), CharField()), output_field=CharField()
            ),
        )
        .values("scope")
        .annotate(total=Sum("number"))
        .values("total")
    )
    terms = (
        Term.objects.annotate(count=Coalesce(Subquery(count), 0))
        .defer(*stored_texts(Term))
        .order_by("sort_text", "id")
    )
    venues = EventVenue.objects.select_related("venue").defer(
        *(f"venue__{name}" for name in stored_texts(Venue))
    )
    organizers = EventOrganizer.objects.select_related("organizer").defer(
        *(f"organizer__{name}" for name in stored_texts(Organizer))
    )
    return (
        Event.objects.public(timezone.now())
        .defer(*stored_texts(Event))
        .select_related("image")
        .prefetch_related(
            Prefetch("terms", terms.categories(), to_attr="categories"),
            Prefetch("terms", terms.tags(), to_attr="tags"),
            Prefetch("eventvenue_set", venues.order_by("position")),
            Prefetch("eventorganizer_set", organizers.order_by("position")),
        )
    )


def stored_texts(model: type[Model]) -> list[str]:
    """Return the columns that only the product reads."""
    return [field.name for field in model._meta.fields if field.name in STORED_TEXTS]


class EventList(ListAPIView):
    authentication_classes = []
    permission_classes = [AllowAny]
    serializer_class = EventSerializer
    pagination_class = Pages
    filter_backends = [DjangoFilterBackend]
    filterset_class = EventFilter

    def get_queryset(self) -> RecordQuerySet:
        first, last = envelope.window(timezone.now())
        return (
            events()
            .filter(hide_from_listings=False, start_utc__gte=first, end_utc__lte=last)
            .order_by("start_utc", "id")
        )


class EventDetail(RetrieveAPIView):
    authentication_classes = []
    permission_classes = [AllowAny]
    serializer_class = EventDetailSerializer

    def get_queryset(self) -> RecordQuerySet:
        return events()
