"""Django's ``handler400`` … ``handler500``: errors that no API view was there to answer.

Below an API mount they speak the mount's dialect; elsewhere Django's own pages answer.
``config/urls.py`` names these four. A database that is away reaches the last of them from
any page and from any middleware, so this is where every page says 503.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.template import TemplateDoesNotExist
from django.template.loader import render_to_string
from django.views import defaults

from platform_errors.errors import base, catalogue, writes
from platform_errors.errors.dialects import dialect_of
from platform_errors.errors.handler import api_error_of, error_response
from platform_errors.http.request_id import current_request_id

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400: a host that is not ours, a request that cannot be read."""
    dialect = dialect_of(request.path)
    error = api_error_of(exception)
    if dialect is not None:
        return error_response(error, request, dialect)
    if isinstance(error, writes.ContentTooLarge):
        return page(error)
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """403: a middleware said no."""
    dialect = dialect_of(request.path)
    if dialect is None:
        return defaults.permission_denied(request, exception)
    return error_response(catalogue.MissingPermission(), request, dialect)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """404: no route."""
    dialect = dialect_of(request.path)
    if dialect is None:
        return defaults.page_not_found(request, exception)
    return error_response(api_error_of(exception), request, dialect)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """500, or 503 when what was raised will pass.

    Django has logged the exception already, with the same identifier.
    """
    dialect = dialect_of(request.path)
    exception = sys.exc_info()[1]
    error = api_error_of(exception) if isinstance(exception, Exception) else None
    if isinstance(error, catalogue.Unavailable):
        if dialect is None:
            return page(error)
        return error_response(error, request, dialect)
    if dialect is None:
        return defaults.server_error(request)
    error = catalogue.InternalError(f"request identifier: {current_request_id()}")
    return error_response(error, request, dialect)


def page(error: base.ApiError) -> HttpResponseBase:
    """Return the page of an error. No context processors: they would ask the database."""
    try:
        content: str = render_to_string(f"{error.status_code}.html")
    except TemplateDoesNotExist:
        content = f"<!doctype html>\n<title>{error.text}</title>\n<h1>{error.text}</h1>\n"
    return HttpResponse(
        content,
        status=error.status_code,
        headers={"Cache-Control": "no-store", **error.headers},
    )
