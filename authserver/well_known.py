"""Routes below ``/.well-known/``, at the root as RFC 8414 section 3 has it."""

from django.urls import re_path

from authserver.views.metadata import Metadata

urlpatterns = [
    re_path(r"^oauth-authorization-server/?\Z", Metadata.as_view(), name="oauth-metadata"),
]
