"""Django's ``handler400`` … ``handler500``: errors that no view was there to answer.

Where programs call they speak the dialect of the address; elsewhere Django's own pages
answer. ``config/urls.py`` names these four. A database that is away reaches the last of
them from any page and from any middleware, so this is where every page says 503.
"""

import sys

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template import TemplateDoesNotExist
from django.template.loader import render_to_string
from django.views import defaults

from platform_errors.errors import base, catalogue, writes
from platform_errors.errors.dialects import dialect_for
from platform_errors.errors.handler import api_error_of, error_response
from platform_errors.http.request_id import current_request_id


def refused(request: HttpRequest, error: base.ApiError) -> HttpResponseBase:
    """Answer where no view was reached: in the dialect of the address, or with a page."""
    dialect = dialect_for(request)
    return page(error) if dialect is None else error_response(error, request, dialect)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400: a host that is not ours, a request that cannot be read."""
    error = api_error_of(exception)
    if dialect_for(request) is None and not isinstance(error, writes.ContentTooLarge):
        return defaults.bad_request(request, exception)
    return refused(request, error)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """403: a middleware said no."""
    if dialect_for(request) is None:
        return defaults.permission_denied(request, exception)
    return refused(request, catalogue.MissingPermission())


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """404: no route."""
    if dialect_for(request) is None:
        return defaults.page_not_found(request, exception)
    return refused(request, api_error_of(exception))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """500, or 503 when what was raised will pass.

    Django has logged the exception already, with the same identifier.
    """
    exception = sys.exc_info()[1]
    error = api_error_of(exception) if isinstance(exception, Exception) else None
    if isinstance(error, catalogue.Unavailable):
        return refused(request, error)
    if dialect_for(request) is None:
        return defaults.server_error(request)
    identifier = f"request identifier: {current_request_id()}"
    return refused(request, catalogue.InternalError(identifier))


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
