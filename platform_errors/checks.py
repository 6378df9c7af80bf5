"""System checks: what can be set wrongly is said at the start, not at the first request."""

import ipaddress
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004
from django.utils.module_loading import import_string

from platform_errors.conf import conf
from platform_errors.errors import dialects

REQUEST_ID_MIDDLEWARE = "platform_errors.http.request_id.RequestIdMiddleware"
EXCEPTION_HANDLER = "platform_errors.errors.handler.handle"
MAX_SKEW_SECONDS = 3600

# White space ends a scheme; a comma or a quote would end it for some parsers.
_SCHEME = re.compile(r"[!#-+.-~-]+")
_RATE = re.compile(r"[1-9][0-9]*/(second|minute|hour|day)")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@register("platform_errors")
def check_settings(**_kwargs: Any) -> list[CheckMessage]:
    """Run every check of the app."""
    return [
        *_key_store(),
        *_addresses(),
        *_request_id(),
        *_clock(),
        *_mounts(),
        *_rates(),
        *_project(),
    ]


def _key_store() -> Iterator[CheckMessage]:
    """E001: ``KEY_STORE`` must be the path of a class that implements the port."""
    try:
        store = import_string(conf.key_store)
    except ImportError as error:
        yield Error(f"PLATFORM_ERRORS['KEY_STORE']: {error}", id="platform_errors.E001")
        return
    port = ("find_key", "find_token", "service_names")
    missing = [name for name in port if not callable(getattr(store, name, None))]
    if missing:
        yield Error(
            f"PLATFORM_ERRORS['KEY_STORE']: {conf.key_store} has no {', '.join(missing)}.",
            id="platform_errors.E001",
        )


def _addresses() -> Iterator[CheckMessage]:
    """E002 to E005: identifiers that clients compare must be whole addresses."""
    if not (_is_absolute(conf.hmac_scheme_url) and _SCHEME.fullmatch(conf.hmac_scheme_url)):
        yield Error(
            "PLATFORM_ERRORS['HMAC_SCHEME_URL'] must be an absolute address without white "
            "space, commas or quotes.",
            id="platform_errors.E002",
        )
    signed = conf.hmac_signature_url
    if not _is_absolute(signed) or "?" in signed or "#" in signed:
        yield Error(
            "PLATFORM_ERRORS['HMAC_SIGNATURE_URL'] must be an absolute address without "
            "query or fragment.",
            id="platform_errors.E003",
        )
    if not urlsplit(conf.error_response_ns).scheme or re.search(
        r"\s", conf.error_response_ns
    ):
        yield Error(
            "PLATFORM_ERRORS['ERROR_RESPONSE_NS'] must be an absolute URI: XML namespaces "
            "are compared as text.",
            id="platform_errors.E004",
        )
    if not _is_absolute(conf.issuer) or urlsplit(conf.issuer).path or '"' in conf.issuer:
        yield Error(
            "PLATFORM_ERRORS['ISSUER'] must be an absolute address without path: it is the "
            "realm of every challenge.",
            id="platform_errors.E005",
        )


def _is_absolute(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        )
    except ValueError:  # a port that is not a number
        return False


def _request_id() -> Iterator[CheckMessage]:
    """E006, E007, E012: headers and links of answers, and who may set the identifier."""
    names = {
        "REQUEST_ID_HEADER": conf.request_id_header,
        "REASON_HEADER": conf.reason_header,
    }
    for setting, name in names.items():
        if not _HEADER_NAME.fullmatch(name):
            yield Error(
                f"PLATFORM_ERRORS['{setting}'] is not the name of an HTTP header.",
                id="platform_errors.E006",
            )
    page = conf.error_documentation_url
    if page and (not _is_absolute(page) or re.search(r"[\s<>#]", page)):
        yield Error(
            "PLATFORM_ERRORS['ERROR_DOCUMENTATION_URL'] must be empty, or an absolute "
            "address without fragment: reasons are its fragments.",
            id="platform_errors.E012",
        )
    for name in conf.trusted_proxies:
        try:
            ipaddress.ip_network(name, strict=False)
        except ValueError as error:
            yield Error(
                f"PLATFORM_ERRORS['TRUSTED_PROXIES']: {error}", id="platform_errors.E007"
            )


def _clock() -> Iterator[CheckMessage]:
    """E008: a difference of nothing refuses everybody, one of days keeps nonces long."""
    if not 1 <= conf.max_clock_skew_seconds <= MAX_SKEW_SECONDS:
        yield Error(
            "PLATFORM_ERRORS['MAX_CLOCK_SKEW_SECONDS'] must be between 1 and "
            f"{MAX_SKEW_SECONDS}.",
            id="platform_errors.E008",
        )


def _mounts() -> Iterator[CheckMessage]:
    """E009: every mount is a path and a dialect."""
    known = dialects.names()
    for prefix, dialect in conf.mounts.items():
        is_path = prefix.startswith("/") and not prefix.endswith("/")
        if not is_path or dialect not in known:
            yield Error(
                f"PLATFORM_ERRORS['MOUNTS']: {prefix!r}: {dialect!r} must be a path with a "
                f"leading and without a trailing slash, and one of {known}.",
                id="platform_errors.E009",
            )


def _rates() -> Iterator[CheckMessage]:
    """E011: a rate limit is a number per unit of time, or empty."""
    for name, rate in conf.rate_limits.items():
        if rate and not _RATE.fullmatch(rate):
            yield Error(
                f"PLATFORM_ERRORS['RATE_LIMITS'][{name!r}]: {rate!r} is not like "
                "600/minute (second, minute, hour or day).",
                id="platform_errors.E011",
            )


def _project() -> Iterator[CheckMessage]:
    """E010, W001, W002: what other settings must not undo."""
    for alias, database in settings.DATABASES.items():
        if database.get("ATOMIC_REQUESTS"):
            yield Error(
                f"DATABASES[{alias!r}]['ATOMIC_REQUESTS'] would give a nonce out again "
                "when a request fails.",
                id="platform_errors.E010",
            )
    if settings.MIDDLEWARE[:1] != [REQUEST_ID_MIDDLEWARE]:
        yield Warning(
            f"{REQUEST_ID_MIDDLEWARE} is not first in MIDDLEWARE, so some answers have no "
            "request identifier.",
            id="platform_errors.W001",
        )
    handler = getattr(settings, "REST_FRAMEWORK", {}).get("EXCEPTION_HANDLER")
    if handler != EXCEPTION_HANDLER:
        yield Warning(
            f"REST_FRAMEWORK['EXCEPTION_HANDLER'] is not {EXCEPTION_HANDLER}, so errors "
            "are not shown as documented.",
            id="platform_errors.W002",
        )
