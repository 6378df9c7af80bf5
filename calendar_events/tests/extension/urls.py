"""Routes of a project: its own ones in front of the calendar's."""

from django.urls import include, path, re_path

from calendar_events.api.feeds import EventFeeds
from calendar_events.api.viewsets import EventViewSet, TagViewSet, VenueViewSet
from calendar_events.tests.extension import views

LIST = {"get": "list"}
BACKENDS = {"tenants": views.OfInstitution, "nothing": views.Nothing}
CREATE = {"post": "create"}
RECORD = {"get": "retrieve", "patch": "update", "delete": "destroy"}
ROOT = "platform/events/v1"

urlpatterns = [
    re_path(rf"^{ROOT}/events/(?P<pk>[0-9]+)/venues/?$", views.VenuesOfEvent.as_view(LIST)),
    path(f"{ROOT}/subtitled/events", views.SubtitledEvents.as_view(CREATE)),
    path(f"{ROOT}/mottoes/organizers", views.OrganizersWithMotto.as_view(CREATE)),
    path(f"{ROOT}/sticky/events", views.StickyEvents.as_view(LIST)),
    path(f"{ROOT}/northgate/events", views.EventsOfNorthgate.as_view(LIST)),
    path(f"{ROOT}/hooked/venues", views.HookedVenues.as_view(CREATE)),
    path(f"{ROOT}/hooked/venues/<str:pk>", views.HookedVenues.as_view(RECORD)),
    path(f"{ROOT}/closed/venues/<str:pk>", views.ClosedVenues.as_view(RECORD)),
    *(
        path(f"{ROOT}/{prefix}/{viewset.resource}{rest}", extended.as_view(actions))
        for prefix, backend in BACKENDS.items()
        for viewset in (EventViewSet, VenueViewSet, TagViewSet)
        for extended in [views.with_backend(viewset, backend)]
        for rest, actions in {"": LIST, "/<str:pk>": RECORD}.items()
    ),
    path(
        f"{ROOT}/tenants/events.ics",
        views.with_backend(EventFeeds, views.OfInstitution).as_view(LIST),
    ),
    path(ROOT, include("calendar_events.urls")),
]
