"""The list and the single event, at the product's addresses."""

from django.urls import path

from benchmarks import paths
from benchmarks.yardsticks.idiomatic.views import EventDetail, EventList

EVENTS = paths.EVENTS.removeprefix("/")

urlpatterns = [
    path(EVENTS, EventList.as_view()),
    path(f"{EVENTS}/<int:pk>", EventDetail.as_view()),
]
