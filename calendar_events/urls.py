"""Routes of the events interface, below ``{events_root}`` (spec 4.3).

Each answers with and without a trailing slash, for every method: a redirect would lose the
body of a POST. What matches nothing is 404 in the interface's own words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import URLPattern, re_path

from calendar_events.api import viewsets
from calendar_events.api.dialect import EVENTS
from calendar_events.api.feeds.views import EventFeeds
from calendar_events.api.root import Documentation, Root, Schema
from platform_errors.views import NoSuchResource

if TYPE_CHECKING:
    from calendar_events.api.base import EventsView

app_name = "calendar_events"

COLLECTION: dict[str, Any] = {"get": "list", "post": "create"}
WRITES: dict[str, Any] = {
    "post": "update",
    "put": "update",
    "patch": "update",
    "delete": "destroy",
}
RECORD: dict[str, Any] = {"get": "retrieve", **WRITES}
PK = r"(?P<pk>[0-9]+)"
SLUG = r"by-slug/(?P<slug>[^/]+)"


def records(name: str, viewset: type[EventsView]) -> list[URLPattern]:
    """Return the routes of events, venues or organizers."""
    return [*terms(name, viewset), by_slug(name, viewset)]


def by_slug(name: str, viewset: type[EventsView]) -> URLPattern:
    """Return the route of a record by its slug."""
    return re_path(rf"^/{name}/{SLUG}/?$", viewset.as_view(RECORD), name=f"{name}-by-slug")


def terms(name: str, viewset: type[EventsView]) -> list[URLPattern]:
    """Return the routes of a collection and its members."""
    return [
        re_path(rf"^/{name}/?$", viewset.as_view(COLLECTION), name=name),
        re_path(rf"^/{name}/{PK}/?$", viewset.as_view(RECORD), name=f"{name}-by-id"),
    ]


# What is asked for most stands first; feeds before the slugs that would take their names.
urlpatterns = [
    *terms("events", viewsets.EventViewSet),
    re_path(r"^/?$", Root.as_view({"get": "retrieve"}), name="root"),
    re_path(r"^/doc/?$", Schema.as_view({"get": "retrieve"}), name="doc"),
    re_path(r"^/doc/swagger/?$", Documentation.as_view(), name="doc-page"),
    re_path(r"^/events\.ics/?$", EventFeeds.as_view({"get": "list"}), name="feed"),
    re_path(
        rf"^/events/{PK}\.ics/?$",
        EventFeeds.as_view({"get": "retrieve"}),
        name="feed-by-id",
    ),
    re_path(
        r"^/events/by-slug/(?P<slug>[^/]+)\.ics/?$",
        EventFeeds.as_view({"get": "retrieve"}),
        name="feed-by-slug",
    ),
    by_slug("events", viewsets.EventViewSet),
    *records("venues", viewsets.VenueViewSet),
    *records("organizers", viewsets.OrganizerViewSet),
    *terms("categories", viewsets.CategoryViewSet),
    *terms("tags", viewsets.TagViewSet),
    re_path(r"^/", NoSuchResource.as_view(error_dialect=EVENTS)),
]
