"""Routes of the old generation, below ``{auth_url}`` like the others."""

from django.urls import URLPattern, re_path

from authserver.legacy.client_generation import OLD_ENDPOINT
from authserver.legacy.views import AccessToken, AuthorizeCode
from platform_errors.views import NoSuchResource

urlpatterns: list[URLPattern] = [
    re_path(
        r"^authorizeCode/?\Z", AuthorizeCode.as_view(), name="authorize-old-generation"
    ),
    re_path(r"^accessToken/?\Z", AccessToken.as_view(), name="token-old-generation"),
    re_path(r"^accessToken/", NoSuchResource.as_view(error_dialect=OLD_ENDPOINT)),
]
