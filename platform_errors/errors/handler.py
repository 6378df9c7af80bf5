"""The one place where an exception becomes a response (DRF's ``EXCEPTION_HANDLER``)."""

import logging
import math
import sqlite3
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.client import responses
from typing import Any, TypeGuard

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError,
)
from django.core.signals import got_request_exception
from django.db import Error, InterfaceError, InternalError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions as drf
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request

from platform_errors.conf import conf
from platform_errors.errors import base, catalogue, dialects, documents, writes
from platform_errors.errors.base import ApiError
from platform_errors.errors.log import state_reason
from platform_errors.http.request_id import current_request_id
from platform_errors.keys import SecretUnreadable

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 2
"""After a lock timeout: the writer in front has most likely finished by then."""

# What PostgreSQL files under invalid transaction states and is nobody's mistake: it takes
# no writes now, or ended a transaction that had been quiet for too long.
_READ_ONLY_OR_ENDED = frozenset({"25006", "25P03", "25P04"})
_LOCK_NOT_AVAILABLE = "55P03"


def handle(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Answer for an exception that a view raised, in the view's dialect."""
    # DRF imports our throttles, which answer with this module, while it loads its views.
    from rest_framework.views import set_rollback  # noqa: PLC0415 -- see above

    view, request = context.get("view"), context["request"]
    set_rollback()
    error = api_error_of(exc)
    is_fault = isinstance(error, catalogue.InternalError | catalogue.Unavailable)
    # "Too many feeds at once" is said on purpose, and has its line like every error.
    if is_fault and exc is not error:
        report(exc, request, error)
    if isinstance(error, catalogue.MethodNotSupported) and view is not None:
        error.headers.setdefault("Allow", ", ".join(view.allowed_methods))
    dialect = getattr(view, "error_dialect", dialects.PLATFORM)
    return error_response(error, request, dialect)


def error_response(
    error: ApiError, request: HttpRequest | Request, dialect: dialects.Dialect
) -> HttpResponse:
    """Return the response for an error, headers included (decisions 5 and decisions 6).

    Every error that a program gets is made here, for all interfaces.
    """
    document = documents.error_document(
        error,
        dialect=dialect,
        accept=request.META.get("HTTP_ACCEPT", ""),
        namespace=conf.error_response_ns,
    )
    response = HttpResponse(
        document.content,
        status=error.status_code,
        content_type=document.content_type,
        headers={**dialect.headers(error, request), **error.headers},
    )
    return state_reason(response, error.reason)


def api_error_of(exc: Exception) -> ApiError:
    """Translate what Django and DRF raise into the platform's words."""
    if isinstance(exc, ApiError):
        return exc
    if is_unavailable(exc):
        return _unavailable()
    for types, translate in _TRANSLATIONS:
        if isinstance(exc, types):
            return translate(exc)
    if (
        isinstance(exc, drf.APIException)
        and exc.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    ):
        return _other(exc)
    broken = (
        catalogue.SecretNotReadable
        if isinstance(exc, SecretUnreadable)
        else catalogue.InternalError
    )
    return broken(f"request identifier: {current_request_id()}")


def report(exc: Exception, request: HttpRequest | Request, error: ApiError) -> None:
    """Log what broke, and tell monitoring, which would not hear of a handled exception."""
    django_request = getattr(request, "_request", request)
    got_request_exception.send(sender=handle, request=django_request)
    # A path may hold line feeds, which would start a line of the caller's own in the log.
    path = request.path.encode("unicode_escape").decode("ascii")
    logger.error("%s: %s %s", error.text, request.method, path, exc_info=exc)


def _detail(exc: Any) -> str:
    """Return DRF's own words, which may quote the request."""
    return base.echo(exc.detail)


def _other(exc: drf.APIException) -> ApiError:
    """Keep the status of an exception that only a third party knows."""
    error = catalogue.MalformedRequest(_detail(exc))
    error.status_code = exc.status_code
    error.text = error.summary = responses.get(exc.status_code, "Refused")
    error.reason = ApiError.default_code
    return error


def _parse_error(exc: drf.ParseError) -> ApiError:
    detail = _detail(exc)
    is_json = detail.startswith("JSON parse error")
    return (writes.MalformedJson if is_json else writes.BadBody)(detail)


def _drf_validation_error(exc: drf.ValidationError) -> ApiError:
    if not isinstance(exc.detail, dict):
        return writes.BadBody(_first(exc.detail))
    return writes.InvalidParameters(
        {name: _first(reason) for name, reason in exc.detail.items()}, in_body=True
    )


def _django_validation_error(exc: ValidationError) -> ApiError:
    if not hasattr(exc, "error_dict"):
        return writes.BadBody(_first(exc.messages))
    return writes.InvalidParameters(
        {name: _first(reasons) for name, reasons in exc.message_dict.items()}, in_body=True
    )


def _first(reason: Any) -> str:
    """Return the first text in a serializer's nest of lists and dictionaries."""
    while isinstance(reason, list | tuple | dict) and reason:
        reason = next(iter(reason.values())) if isinstance(reason, dict) else reason[0]
    return ErrorDetail(base.echo(reason), code=getattr(reason, "code", None))


def _throttled(exc: Any) -> ApiError:
    wait = math.ceil(exc.wait or 1)
    return catalogue.TooManyRequests(headers={"Retry-After": str(wait)})


def _too_large(_: Exception) -> ApiError:
    return writes.ContentTooLarge("the body is larger than this server reads")


def is_unavailable(exc: BaseException | None) -> TypeGuard[Error]:
    """Return whether the database is away, locked, full or read-only for the moment."""
    if isinstance(exc, InternalError):
        return sqlstate(exc) in _READ_ONLY_OR_ENDED
    if _is_error_of_a_statement(exc):
        return False
    return isinstance(exc, OperationalError | InterfaceError)


def _is_error_of_a_statement(exc: BaseException | None) -> bool:
    """Return whether SQLite could not do this however often it is tried.

    It says ``OperationalError`` of a column that is not there, too.
    """
    cause = getattr(exc, "__cause__", None)
    return getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR


def is_lock_timeout(exc: BaseException | None) -> bool:
    """Return whether the database did not get a lock in the time that it has for that."""
    if not isinstance(exc, OperationalError):
        return False
    return sqlstate(exc) == _LOCK_NOT_AVAILABLE or "locked" in str(exc)  # SQLite's words


def sqlstate(exc: Error) -> str:
    """Return PostgreSQL's code of an error; empty without one."""
    return getattr(exc.__cause__, "sqlstate", None) or ""


def _unavailable() -> ApiError:
    return catalogue.Unavailable(
        "the database cannot do this now",
        headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
    )


_Types = type[Exception] | tuple[type[Exception], ...]
# The first match wins, so subclasses stand above their bases.
_TRANSLATIONS: list[tuple[_Types, Callable[[Any], ApiError]]] = [
    (Http404, lambda _: catalogue.NoSuchResource("nothing lives at this address")),
    (drf.NotFound, lambda _: catalogue.NoSuchResource("nothing lives at this address")),
    ((PermissionDenied, drf.PermissionDenied), lambda _: catalogue.MissingPermission()),
    (drf.NotAuthenticated, lambda _: catalogue.AuthorizationHeaderMissing()),
    (drf.AuthenticationFailed, lambda _: catalogue.UnknownAuthorizationScheme()),
    (drf.MethodNotAllowed, lambda exc: catalogue.MethodNotSupported(_detail(exc))),
    (drf.NotAcceptable, lambda exc: catalogue.NotAcceptable(_detail(exc))),
    (
        drf.UnsupportedMediaType,
        lambda exc: writes.UnsupportedMediaType(_detail(exc)),
    ),
    (drf.Throttled, _throttled),
    (drf.ParseError, _parse_error),
    (drf.ValidationError, _drf_validation_error),
    (ValidationError, _django_validation_error),
    (RequestDataTooBig, _too_large),
    (
        (UnreadablePostError, MultiPartParserError),
        lambda _: writes.BadBody("the body could not be read to its end"),
    ),
    (
        (SuspiciousOperation, BadRequest),
        lambda _: catalogue.MalformedRequest("the request could not be read"),
    ),
]
