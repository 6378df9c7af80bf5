"""Django's ``handler400`` … ``handler500``: errors that no API view was there to answer.

Below an API mount they speak the mount's dialect; elsewhere Django's own pages answer.
``config/urls.py`` names these four.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.views import defaults

from platform_errors import exceptions
from platform_errors.handler import refusal_of, refusal_response
from platform_errors.mounts import dialect_of
from platform_errors.request_id import current_request_id

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400: a host that is not ours, a request that cannot be read."""
    dialect = dialect_of(request.path)
    if dialect is None:
        return defaults.bad_request(request, exception)
    return refusal_response(refusal_of(exception), request, dialect)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """403: a middleware said no."""
    dialect = dialect_of(request.path)
    if dialect is None:
        return defaults.permission_denied(request, exception)
    return refusal_response(exceptions.MissingPermission(), request, dialect)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """404: no route."""
    dialect = dialect_of(request.path)
    if dialect is None:
        return defaults.page_not_found(request, exception)
    return refusal_response(refusal_of(exception), request, dialect)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """500: Django has logged the exception already, with the same identifier."""
    dialect = dialect_of(request.path)
    if dialect is None:
        return defaults.server_error(request)
    refusal = exceptions.InternalError(f"request identifier: {current_request_id()}")
    return refusal_response(refusal, request, dialect)
