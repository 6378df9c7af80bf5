"""System checks about how the project is put together; each id has a test."""

import ipaddress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004

A_YEAR_SECONDS = 31_536_000


def is_loopback(host: str) -> bool:
    """Return whether a host name can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@register(Tags.security)
def check_demo_stays_at_home(**_kwargs: Any) -> list[CheckMessage]:
    """E001: a demonstration has published passwords, so it serves this machine only."""
    public = urlsplit(settings.PUBLIC_URL).hostname or ""
    if settings.DEMO and not (
        is_loopback(public) and is_loopback(settings.HOST.strip("[]"))
    ):
        return [
            Error(
                "DEMO is on, and the server listens on or is announced at an address that "
                "others can reach.",
                hint="The demo passwords are public. Unset DEMO, or use 127.0.0.1.",
                id="config.E001",
            )
        ]
    return []


@register()
def check_metrics_have_their_own_port(**_kwargs: Any) -> list[CheckMessage]:
    """E002: the kernel would give requests to the metrics, and scrapes to the pages."""
    if settings.METRICS_PORT and settings.METRICS_PORT == settings.PORT:
        return [
            Error(
                f"METRICS_PORT is {settings.PORT}, the port of the application itself.",
                hint="Choose another, such as 9464, or 0 for no metrics.",
                id="config.E002",
            )
        ]
    return []


@register()
def check_messages_are_written_to_one_place(**_kwargs: Any) -> list[CheckMessage]:
    """E003: a relative directory is another one wherever a process is started."""
    directory = settings.EMAIL_FILE_PATH
    if directory and not Path(directory).is_absolute():
        return [
            Error(
                f"EMAIL_URL writes messages to {directory}, which is a relative path.",
                hint="Write four slashes: filemail:////var/lib/calendar/mail.",
                id="config.E003",
            )
        ]
    return []


@register(Tags.caches)
def check_rate_limits_are_shared(**_kwargs: Any) -> list[CheckMessage]:
    """W001: a counter in each process lets a caller have the rate once per process."""
    backend = settings.CACHES["default"]["BACKEND"]
    if settings.WORKERS > 1 and backend.endswith("LocMemCache"):
        return [
            Warning(
                f"Limits are counted in each of {settings.WORKERS} processes apart.",
                hint="Leave CACHE_URL empty, set it to Redis (redis://…), or WORKERS=1.",
                id="config.W001",
            )
        ]
    return []


@register(Tags.security)
def check_preload_can_be_granted(**_kwargs: Any) -> list[CheckMessage]:
    """W003: browsers' lists refuse a name whose header does not say all they ask for."""
    if settings.SECURE_HSTS_PRELOAD and (
        not settings.SECURE_HSTS_INCLUDE_SUBDOMAINS
        or settings.SECURE_HSTS_SECONDS < A_YEAR_SECONDS
    ):
        return [
            Warning(
                "HSTS_PRELOAD is on, and browsers' lists would refuse this name.",
                hint="They ask for https, HSTS_INCLUDE_SUBDOMAINS=1 and HSTS_SECONDS of a "
                "year.",
                id="config.W003",
            )
        ]
    return []


@register(Tags.security)
def check_https_can_arrive(**_kwargs: Any) -> list[CheckMessage]:
    """W002: under https, whatever no trusted proxy received over https is turned away."""
    if settings.ISSUER.startswith("https:") and not settings.TRUSTED_PROXIES:
        return [
            Warning(
                "PUBLIC_URL is https and TRUSTED_PROXIES is empty: unless this server ends "
                "TLS itself, every page redirects and every call is refused.",
                hint="Set TRUSTED_PROXIES to the network of the proxy that ends TLS.",
                id="config.W002",
            )
        ]
    return []
