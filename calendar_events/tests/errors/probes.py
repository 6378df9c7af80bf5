"""Routes of the edge's probe views, below a mount of the events interface."""

from django.urls import path, re_path
from rest_framework.renderers import JSONRenderer

from calendar_events.api.dialect import EVENTS
from platform_errors.tests.probes import Failing, Probe, broken_view
from platform_errors.views import NoSuchResource

handler400 = "platform_errors.errors.django_handlers.bad_request"
handler403 = "platform_errors.errors.django_handlers.permission_denied"
handler404 = "platform_errors.errors.django_handlers.page_not_found"
handler500 = "platform_errors.errors.django_handlers.server_error"

urlpatterns = [
    path(
        "platform/events/v1/probe",
        Probe.as_view(error_dialect=EVENTS, renderer_classes=[JSONRenderer]),
    ),
    path(
        "platform/events/v1/failing",
        Failing.as_view(error_dialect=EVENTS, renderer_classes=[JSONRenderer]),
    ),
    path("platform/events/v1/broken", broken_view),
    re_path(r"^platform/events/v1/", NoSuchResource.as_view(error_dialect=EVENTS)),
]
