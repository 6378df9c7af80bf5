"""Browsers that have signed in to an account before (decisions 9, "Login limits").

A signed cookie says so. Such a browser is not locked out of that account by what others do
wrong at the same address, but it is by failures of the account itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core import signing
from django.utils import timezone
from django.utils.crypto import salted_hmac

from authserver.conf import conf

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

MOST_ACCOUNTS = 5
"""Of so many accounts a browser keeps the proof; a further one replaces the oldest."""
_COOKIE = "device"
# No path: what browsers hold was made with it.
_SALT = "authserver.devices"
_NOTE = "authserver.device_account"


def is_known(request: HttpRequest, account: str) -> bool:
    """Return whether this browser has signed in to the account within the lifetime."""
    return _fingerprint(account) in _accounts(request)


def note(request: HttpRequest, account: str) -> None:
    """Let ``remember`` know that this request signed in to the account."""
    request.META[_NOTE] = account


def remember(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set the cookie, if the request signed in to an account."""
    account = request.META.get(_NOTE)
    if account is None:
        return
    fingerprint = _fingerprint(account)
    others = [item for item in _accounts(request).items() if item[0] != fingerprint]
    newest_first = [(fingerprint, _now()), *others][:MOST_ACCOUNTS]
    response.set_cookie(
        _cookie_name(),
        signing.dumps(newest_first, salt=_SALT),
        max_age=conf.login_device_lifetime,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _accounts(request: HttpRequest) -> dict[str, int]:
    """Return what the cookie proves: fingerprint of the account → when it signed in."""
    try:
        items = signing.loads(request.COOKIES.get(_cookie_name(), ""), salt=_SALT)
    except signing.BadSignature:
        return {}
    oldest = _now() - conf.login_device_lifetime.total_seconds()
    return {fingerprint: moment for fingerprint, moment in items if moment > oldest}


def _fingerprint(account: str) -> str:
    """Return what stands for the account: whoever reads the cookie learns no name."""
    return salted_hmac(_SALT, account, algorithm="sha256").hexdigest()[:32]


def _now() -> int:
    return int(timezone.now().timestamp())


def _cookie_name() -> str:
    return f"__Host-{_COOKIE}" if settings.SESSION_COOKIE_SECURE else _COOKIE
