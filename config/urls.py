"""Every public prefix of the server on one screen (decisions 1)."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

API_MOUNT = f"{settings.BASE_MOUNT}{settings.VENDOR_NS}/"

urlpatterns = [
    path("", include("config.home")),
    path("admin/", admin.site.urls),
    path(".well-known/", include("authserver.well_known")),
    path(settings.AUTH_MOUNT, include("authserver.urls")),
    path(f"{API_MOUNT}identity/v1", include("platform_errors.urls")),
    path(f"{API_MOUNT}events/v1", include("calendar_events.urls")),
]
