"""The identity service, below ``{BASE_MOUNT}{VENDOR_NS}/identity/v1``."""

from django.urls import re_path

from platform_errors.views import Identity, NoSuchResource

app_name = "platform_errors"

urlpatterns = [
    re_path(r"^/?$", Identity.as_view(), name="identity"),
    re_path(r"^/", NoSuchResource.as_view()),
]
