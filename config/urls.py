"""Every public prefix of the server on one screen (decisions 1)."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from authserver.urls import accounts, well_known

API_MOUNT = f"{settings.BASE_MOUNT}{settings.VENDOR_NS}/"

handler400 = "platform_errors.errors.django_handlers.bad_request"
handler403 = "platform_errors.errors.django_handlers.permission_denied"
handler404 = "platform_errors.errors.django_handlers.page_not_found"
handler429 = "authserver.views.pages.base.too_many_requests"  # django-allauth asks
handler500 = "platform_errors.errors.django_handlers.server_error"

urlpatterns = [
    # The interfaces first: they are asked for most, and every line above costs a look.
    path(f"{API_MOUNT}events/v1", include("calendar_events.urls")),
    path(f"{API_MOUNT}identity/v1", include("platform_errors.urls")),
    path("", include("config.http.pages")),
    *([path("", include("config.demo.views"))] if settings.DEMO else []),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),  # as people type it
    path("admin/", admin.site.urls),
    path(settings.MEDIA_URL.lstrip("/"), include("config.http.media")),
    path(".well-known/", include(well_known)),
    path(settings.AUTH_MOUNT, include("authserver.urls")),
    path(settings.AUTH_MOUNT, include(accounts)),
]
