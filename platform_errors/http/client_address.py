"""Where a request comes from, believing only the proxies that an operator named."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any

from django.http import HttpRequest

from platform_errors.conf import conf

_current: ContextVar[HttpRequest | None] = ContextVar("current_request", default=None)
_INTERFACE_BITS = 64
"""Of an IPv6 address: what a host chooses itself within its network (RFC 4291 2.5.1)."""


def is_trusted(address: str) -> bool:
    """Return whether an address belongs to one of the proxies in front."""
    trusted = conf.trusted_proxies
    parsed = _parse(address) if trusted else None
    return parsed is not None and _is_within(parsed, trusted)


def client_address(request: HttpRequest) -> str | None:
    """Return the caller's address, or ``None`` when the server does not know it.

    ``X-Forwarded-For`` grows to the right, one entry per proxy. It is read from the right
    and only as far as trusted proxies wrote it; whatever the caller put in front of that
    (any address it likes) is never looked at.
    """
    caller = _parse(request.META.get("REMOTE_ADDR", ""))
    if caller is None:
        return None
    trusted = conf.trusted_proxies
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while _is_within(caller, trusted) and forwarded:
        reported = _parse(forwarded.pop())
        if reported is None:
            break
        caller = reported
    return str(caller)


def current_client_address() -> str:
    """Return the address that the request being served comes from.

    Empty outside of a request, or when the server does not know it.
    """
    request = _current.get()
    return "" if request is None else client_address(request) or ""


def enter_request(request: HttpRequest) -> None:
    """Make this the request being served (``RequestIdMiddleware``)."""
    _current.set(request)


def leave_request(**_kwargs: Any) -> None:
    """Leave the request (``request_finished``)."""
    _current.set(None)


@contextmanager
def on_behalf_of(request: HttpRequest) -> Iterator[None]:
    """Take this for the request being served, until the block ends."""
    token = _current.set(request)
    try:
        yield
    finally:
        _current.reset(token)


def address_ident(address: str) -> str | None:
    """Return what a limit counts an address as; ``None`` for text that is not an address.

    An IPv6 caller has a /64 at least and may take another address out of it for every
    request (RFC 8981), so the first address of that network stands for all of them.
    """
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        parsed = IPv6Address(int(parsed) >> _INTERFACE_BITS << _INTERFACE_BITS)
    return None if parsed is None else str(parsed)


def throttle_ident(request: HttpRequest) -> str | None:
    """Return what limits count the caller as, or ``None`` when nobody knows its address."""
    address = client_address(request)
    return None if address is None else address_ident(address)


@lru_cache(maxsize=256)  # a proxy's is asked for by every request, a caller's several times
def _parse(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    # A dual-stack socket reports IPv4 callers as ::ffff:192.0.2.1.
    return getattr(address, "ipv4_mapped", None) or address


def _is_within(address: IPv4Address | IPv6Address, networks: Iterable[str]) -> bool:
    return any(address in _network(network) for network in networks)


@lru_cache(maxsize=64)
def _network(text: str) -> IPv4Network | IPv6Network:
    return ip_network(text, strict=False)
