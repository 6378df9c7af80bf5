"""How often a login may fail, by account and by address (decisions 3.10 and decisions 10).

``LoginLimitBackend`` is Django's seam: the first of ``AUTHENTICATION_BACKENDS`` refuses
before a password is looked at, on every page that asks for one, Django admin's included.
``login_audit`` hears of failures and successes, ``LoginLimitMiddleware`` answers.
"""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from authserver import audit
from authserver.accounts.backends import login_at
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, LoginFailure, User
from authserver.parsing.usernames import normalise_username
from platform_errors.http.client_address import address_ident, throttle_ident

ACCOUNT_LENGTH = 255
_REFUSED = "authserver.refused_account"


class LoginLimitBackend:
    """Lets nobody in, and nobody on to the next backend beyond a limit.

    It knows no users: a session is never its own, and rights are the others' to say.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:
        """Raise ``PermissionDenied`` where the password is not to be looked at."""
        if request is not None:
            account = account_of(credentials)
            if seconds_to_wait(request, account) > 0:
                request.META[_REFUSED] = account
                raise PermissionDenied


def refused_account(request: HttpRequest) -> str | None:
    """Return the account whose login was refused unseen in this request, if one was."""
    refused: str | None = request.META.get(_REFUSED)
    return refused


def account_of(credentials: Mapping[str, Any]) -> str:
    """Return the login that these credentials claim, whether or not it exists."""
    typed = credentials.get("username") or credentials.get(User.USERNAME_FIELD) or ""
    username = normalise_username(str(typed))
    institution = credentials.get("institution")
    if isinstance(institution, Institution):
        username = login_at(institution, username)
    return username[:ACCOUNT_LENGTH]


def seconds_to_wait(request: HttpRequest, account: str) -> int:
    """Return the seconds until a login of this account, from here, is within the limits.

    0 when it is. An IPv6 address waits with its network of /64, which is what failures are
    stored under.
    """
    now = timezone.now()
    ends = _lock_ends(
        LoginFailure.objects.filter(account=account, is_over=False),
        conf.login_failures_per_account,
        now,
    )
    if (address := throttle_ident(request)) is not None:
        ends += _lock_ends(
            LoginFailure.objects.filter(address=address),
            conf.login_failures_per_address,
            now,
        )
    return max((math.ceil((end - now).total_seconds()) for end in ends), default=0)


def _lock_ends(
    failures: QuerySet[LoginFailure], most: int, now: datetime
) -> list[datetime]:
    """Return when fewer than ``most`` are left in the window; empty if that is now."""
    recent = failures.filter(at__gt=now - conf.login_window).order_by("-at")
    moments = recent.values_list("at", flat=True)[most - 1 : most]
    return [moment + conf.login_window for moment in moments]


def count_failure(request: HttpRequest, account: str) -> None:
    """Keep a failed login, for the account and for the address."""
    LoginFailure.objects.create(account=account, address=throttle_ident(request))


def clear_account(account: str) -> None:
    """End the account's count, but not the address's."""
    LoginFailure.objects.filter(account=account, is_over=False).update(is_over=True)


def lift_account(account: str, *, by: str) -> int:
    """Lift the lock of an account, in any spelling; return how many failures it had."""
    failures = LoginFailure.objects.filter(account=normalise_username(account))
    return lift(failures, by=by)


def lift_address(address: str, *, by: str) -> int:
    """Lift the lock of an address; an IPv6 address stands for its network of /64.

    Return how many failures it had. Raises ``ValueError`` for text that is no address.
    """
    counted = address_ident(address)
    if counted is None:
        raise ValueError(address)
    return lift(LoginFailure.objects.filter(address=counted), by=by)


@transaction.atomic
def lift(failures: QuerySet[LoginFailure], *, by: str) -> int:
    """Delete failures, which lifts the locks they opened; return how many there were.

    Each account is recorded, with who lifted the lock and where the failures came from.
    """
    places: dict[str, list[str]] = {}
    for account, place in failures.order_by("pk").values_list("account", "address"):
        places.setdefault(account, []).append(place or "")
    for account, seen in places.items():
        audit.record(
            AuditEvent.Action.LOGIN_UNLOCKED,
            actor=by,
            subject=account,
            failures=len(seen),
            addresses=sorted(set(seen)),
        )
    return failures.delete()[0]


def purgeable(now: datetime) -> QuerySet[LoginFailure]:
    """Return what no limit looks at any more, for ``clear_expired``."""
    return LoginFailure.objects.filter(at__lte=now - conf.login_window)
