"""Routes of the events interface, below ``{events_root}`` (spec 4.3).

Each answers with and without a trailing slash, for every method: a redirect would lose the
body of a POST. What matches nothing is 404 in the interface's own words.
"""

from typing import Any

from django.urls import URLPattern, re_path
from django.utils.module_loading import import_string

from calendar_events.api.changes.views import ChangesView
from calendar_events.api.dialect import EVENTS
from calendar_events.api.feeds import EventFeeds
from calendar_events.api.root import Documentation, Root, Schema
from calendar_events.api.series import SeriesCalendar, SeriesView
from calendar_events.api.webhook_deliveries import WebhookDeliveryViewSet
from calendar_events.api.webhooks import WebhookViewSet
from calendar_events.models.kinds import KINDS, Kind
from platform_errors.views import NoSuchResource

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
MESSAGE = r"(?P<message>msg_[0-9A-Za-z]{1,36})"
SLUG = r"by-slug/(?P<slug>[^/]+)"


def collection(kind: Kind) -> list[URLPattern]:
    """Return the routes of a collection and its members."""
    name, viewset = kind.plural, import_string(kind.viewset)
    return [
        re_path(rf"^/{name}/?$", viewset.as_view(COLLECTION), name=name),
        re_path(rf"^/{name}/{PK}/?$", viewset.as_view(RECORD), name=f"{name}-by-id"),
    ]


def by_slug(kind: Kind) -> list[URLPattern]:
    """Return the route of a record by its slug; terms have none."""
    if kind.taxonomy:
        return []
    name, view = kind.plural, import_string(kind.viewset).as_view(RECORD)
    return [re_path(rf"^/{name}/{SLUG}/?$", view, name=f"{name}-by-slug")]


EVENTS_KIND, *OTHERS = KINDS
# What is asked for most stands first; feeds before the slugs that would take their names.
urlpatterns = [
    *collection(EVENTS_KIND),
    re_path(r"^/?$", Root.as_view({"get": "retrieve"}), name="root"),
    re_path(r"^/changes/?$", ChangesView.as_view({"get": "retrieve"}), name="changes"),
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
    *by_slug(EVENTS_KIND),
    re_path(
        rf"^/series/{PK}/?$", SeriesView.as_view({"get": "retrieve"}), name="series-by-id"
    ),
    re_path(
        rf"^/series/{PK}\.ics/?$",
        SeriesCalendar.as_view({"get": "retrieve"}),
        name="series-feed",
    ),
    *(route for kind in OTHERS for route in (*collection(kind), *by_slug(kind))),
    re_path(r"^/webhooks/?$", WebhookViewSet.as_view(COLLECTION), name="webhooks"),
    re_path(rf"^/webhooks/{PK}/?$", WebhookViewSet.as_view(RECORD), name="webhooks-by-id"),
    re_path(
        rf"^/webhooks/{PK}/rotate/?$",
        WebhookViewSet.as_view({"post": "rotate"}),
        name="webhook-rotate",
    ),
    re_path(
        rf"^/webhooks/{PK}/test/?$",
        WebhookViewSet.as_view({"post": "test"}),
        name="webhook-test",
    ),
    re_path(
        rf"^/webhooks/{PK}/deliveries/?$",
        WebhookDeliveryViewSet.as_view({"get": "deliveries"}),
        name="webhook-deliveries",
    ),
    re_path(
        rf"^/webhooks/{PK}/deliveries/{MESSAGE}/again/?$",
        WebhookDeliveryViewSet.as_view({"post": "send_again"}),
        name="webhook-send-again",
    ),
    re_path(r"^/", NoSuchResource.as_view(error_dialect=EVENTS)),
]
