"""Routes of a project: its own ones in front of the calendar's."""

from __future__ import annotations

from django.urls import include, path, re_path

from calendar_events.tests.extension import views

LIST = {"get": "list"}
CREATE = {"post": "create"}
ROOT = "platform/events/v1"

urlpatterns = [
    re_path(rf"^{ROOT}/events/(?P<pk>[0-9]+)/venues/?$", views.VenuesOfEvent.as_view(LIST)),
    path(f"{ROOT}/secret/events", views.SecretEvents.as_view(CREATE)),
    path(f"{ROOT}/mottoes/organizers", views.OrganizersWithMotto.as_view(CREATE)),
    path(ROOT, include("calendar_events.urls")),
]
