"""How often a login may fail, by account and by address (decisions 3.10 and decisions 10).

django-allauth counts: ``ACCOUNT_RATE_LIMITS["login_failed"]``, in the default cache, for
passwords and codes on every page that asks for one. This module adds how long to wait, and
how an administrator ends a lock early. Messages with links have limits of their own there:
``reset_password`` and ``password_mail``.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.dispatch import Signal
from django.http import HttpRequest

from authserver import audit
from authserver.accounts.backends import login_at
from authserver.models import AuditEvent, Institution, User
from authserver.parsing.usernames import normalise_username

LIMIT = {"app": "allauth.account", "action": "login_failed"}
MAIL_LIMIT = {**LIMIT, "action": "password_mail"}

login_refused = Signal()
"""Sent with ``request`` for each attempt that a limit refused unseen."""


class LoginLocked(Exception):
    """Too many logins failed, here or at this account; in ``seconds`` one may be tried."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = max(1, seconds)


def account_of(credentials: Mapping[str, Any]) -> str:
    """Return the login that these credentials claim, whether or not it exists."""
    typed = credentials.get("username") or credentials.get(User.USERNAME_FIELD) or ""
    username = normalise_username(str(typed))
    institution = credentials.get("institution")
    if isinstance(institution, Institution):
        username = login_at(institution, username)
    return username


def seconds_to_wait(
    request: HttpRequest, account: str, *, action: str = LIMIT["action"]
) -> int:
    """Return the seconds until a login of this account, from here, is within the limits.

    0 when it is. An IPv6 address waits with its network of /64. ``action`` names another
    limit than that of logins.
    """
    waits = (
        moments[rate.amount - 1] + rate.duration - time.time()
        for rate, moments in _counted(request, account, action)
        if len(moments) >= rate.amount
    )
    return max((math.ceil(wait) for wait in waits), default=0)


def require_within(request: HttpRequest, account: str) -> None:
    """Raise ``LoginLocked`` unless a login of this account, from here, may be tried."""
    if seconds := seconds_to_wait(request, account):
        raise LoginLocked(seconds)


def window_seconds() -> int:
    """Return the longest that anybody waits."""
    return max(
        (math.ceil(rate.duration) for rate in ratelimit.get_rates(**LIMIT)), default=0
    )


@contextmanager
def keeping_addresses(request: HttpRequest) -> Iterator[None]:
    """Keep the count of the address through a right code or passkey.

    django-allauth forgets all counts then, so that an own account would pay for guesses at
    others. That of the account goes.
    """
    rates = [rate for rate in ratelimit.get_rates(**LIMIT) if rate.per == "ip"]
    names = {ratelimit.get_cache_key(request, **LIMIT, rate=rate): rate for rate in rates}
    kept = {name: cache.get(name) for name in names}
    yield
    for name, rate in names.items():
        if kept[name]:
            cache.add(name, kept[name], rate.duration)


def clear_account(account: str) -> int:
    """End the account's count, not that of addresses; return how many failures it had."""
    count = 0
    for rate in ratelimit.get_rates(**LIMIT):
        if rate.per == "key":
            name = ratelimit.get_cache_key(None, **LIMIT, rate=rate, key=account)
            count += len(cache.get(name, []))
            cache.delete(name)
    return count


def lift_account(login: str, *, by: str) -> int:
    """Lift the lock of an account, in any spelling; return how many failures it had."""
    account = normalise_username(login)
    if failures := clear_account(account):
        audit.record(
            AuditEvent.Action.LOGIN_UNLOCKED, actor=by, subject=account, failures=failures
        )
    return failures


def may_send_password_mail(user: User) -> bool:
    """Count a message with a link to this account; return whether it may be sent."""
    return bool(ratelimit.consume(None, **MAIL_LIMIT, user=user, limit_get=True))


def _counted(
    request: HttpRequest, account: str, action: str
) -> Iterator[tuple[ratelimit.Rate, list[float]]]:
    """Yield each limit with the moments that it counts now, the newest first."""
    now = time.time()
    limit = {**LIMIT, "action": action}
    for rate in ratelimit.get_rates(**limit):
        name = ratelimit.get_cache_key(request, **limit, rate=rate, key=account)
        moments = cache.get(name, [])
        yield rate, [moment for moment in moments if moment > now - rate.duration]
