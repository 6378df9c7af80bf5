"""An endpoint's own shape for what is refused before its view was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import Resolver404, resolve

from authserver.oauth import responses
from authserver.views.endpoints.base import Endpoint
from platform_errors.errors import django_handlers
from platform_errors.errors.handler import api_error_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

    from platform_errors.errors.base import ApiError


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400 in an endpoint's own shape, such as for a host that is not ours (``handler400``).

    Elsewhere ``platform_errors`` answers.
    """
    return endpoint_error(request, api_error_of(exception)) or django_handlers.bad_request(
        request, exception
    )


def endpoint_error(request: HttpRequest, error: ApiError) -> HttpResponse | None:
    """Return an error by middleware in the endpoint's own shape; ``None`` for a page.

    No view was reached.
    """
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return None
    view_class: type = getattr(view, "view_class", object)
    if not issubclass(view_class, Endpoint):
        return None
    return responses.error_response(error, request, generation=view_class.generation)
