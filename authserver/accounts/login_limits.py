"""How often a login may fail, by account and by address (decisions 3.10 and decisions 9).

``LoginLimitBackend`` is Django's seam: the first of ``AUTHENTICATION_BACKENDS`` refuses
before a password is looked at, on every page that asks for one, Django admin's included.
``login_audit`` hears of failures and successes, ``LoginLimitMiddleware`` answers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from authserver import audit
from authserver.accounts import devices
from authserver.accounts.backends import login_at
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, LoginFailure, User
from authserver.parsing.usernames import normalise_username
from platform_errors.http.client_address import address_ident, throttle_ident

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

MEMORY = timedelta(days=1)
"""Failures older than this count for nothing; ``clear_expired`` removes them."""
LOCKS_REMEMBERED = 20
"""No more failures are read than open so many locks; the longest pause comes sooner."""
ACCOUNT_LENGTH = 255
_REFUSED = "authserver.refused_account"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many failures within the window open a lock, and how long it lasts."""

    failures: int
    again: int
    """How many further failures within the window open the next lock."""
    window: timedelta
    shortest: timedelta
    longest: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """When the last failure of those that opened it happened, and when it ends."""

    opened_at: datetime
    until: datetime


def last_lock(failures: Iterable[datetime], limit: Limit) -> Lock | None:
    """Return the last lock that these failures (oldest first) opened, over or not.

    A failure counts for one lock only. Each lock lasts twice as long as the one before,
    which is forgotten when a whole window passes after its end without another.
    """
    recent: deque[datetime] = deque()
    lock: Lock | None = None
    pause = limit.shortest
    for moment in failures:
        if lock is not None and moment - lock.until >= limit.window:
            lock, pause = None, limit.shortest
        recent.append(moment)
        while moment - recent[0] >= limit.window:
            recent.popleft()
        if len(recent) < (limit.failures if lock is None else limit.again):
            continue
        if lock is not None:
            pause = min(pause * 2, limit.longest)
        lock = Lock(opened_at=moment, until=moment + pause)
        recent.clear()
    return lock


class LoginLimitBackend:
    """Lets nobody in, and nobody on to the next backend while there is a pause.

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


def _limit(failures: int, again: int) -> Limit:
    return Limit(
        failures=failures,
        again=again,
        window=timedelta(seconds=conf.login_window_seconds),
        shortest=timedelta(seconds=conf.login_backoff_min_seconds),
        longest=timedelta(seconds=conf.login_backoff_max_seconds),
    )


def _last_lock(failures: QuerySet[LoginFailure], limit: Limit) -> list[Lock]:
    """Return the lock that these rows opened, if there is one."""
    newest = failures.order_by("-at").values_list("at", flat=True)
    lock = last_lock(list(newest[: limit.failures * LOCKS_REMEMBERED])[::-1], limit)
    return [] if lock is None else [lock]


def _account_locks(account: str, now: datetime) -> list[Lock]:
    """Each further failure locks an account again: guesses are what it is locked for."""
    failures = LoginFailure.objects.filter(
        account=account, at__gt=now - MEMORY, is_over=False
    )
    return _last_lock(failures, _limit(conf.login_failures_per_account, again=1))


def _address_locks(address: str | None, now: datetime) -> list[Lock]:
    """Many people share an address, and some mistype: a lock needs the whole count again.

    An IPv6 address waits with its network of /64, which is what failures are stored under.
    """
    if address is None:
        return []
    failures = LoginFailure.objects.filter(address=address, at__gt=now - MEMORY)
    count = conf.login_failures_per_address
    return _last_lock(failures, _limit(count, again=count))


def seconds_to_wait(request: HttpRequest, account: str) -> int:
    """Return for how long this browser must wait with this account; 0 when it need not.

    One that has signed in to the account before does not wait for its address.
    """
    now = timezone.now()
    locks = _account_locks(account, now)
    if not devices.is_known(request, account):
        locks += _address_locks(throttle_ident(request), now)
    return _longest(locks, now)


def seconds_locked_since(request: HttpRequest, account: str, moment: datetime) -> int:
    """Return how long the locks last that failures since then opened; 0 without any."""
    now = timezone.now()
    locks = [
        *_account_locks(account, now),
        *_address_locks(throttle_ident(request), now),
    ]
    return _longest([lock for lock in locks if lock.opened_at >= moment], now)


def _longest(locks: list[Lock], now: datetime) -> int:
    """Return the seconds until the last of these locks ends, rounded up."""
    longest = max((lock.until - now for lock in locks), default=timedelta(0))
    return max(0, -int(-longest.total_seconds() // 1))


def count_failure(request: HttpRequest, account: str) -> LoginFailure:
    """Keep a failed login, for the account and for the address."""
    return LoginFailure.objects.create(account=account, address=throttle_ident(request))


def note_success(request: HttpRequest, account: str) -> None:
    """End the account's count, but not the address's; the browser is known from now on."""
    LoginFailure.objects.filter(account=account, is_over=False).update(is_over=True)
    devices.note(request, account)


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
    return LoginFailure.objects.filter(at__lte=now - MEMORY)
