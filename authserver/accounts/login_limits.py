"""How often a login may fail, by account and by address (decisions 3.10 and decisions 9).

django-axes does the wiring (a backend that refuses before a password is looked at, a
middleware that answers for it, Django admin included) and the storage. Its own rule, a
fixed pause after a fixed count, is replaced by ``last_lock``: pauses that grow.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessFailureLog, AccessLog
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from authserver import audit
from authserver.accounts import devices
from authserver.accounts.backends import login_at
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, User
from authserver.parsing.usernames import normalise_username
from platform_errors.http.client_address import address_ident, throttle_ident

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

MEMORY = timedelta(days=1)
"""Failures older than this count for nothing; ``clear_expired`` removes them."""
LOCKS_REMEMBERED = 20
"""No more failures are read than open so many locks; the longest pause comes sooner."""
ACCOUNT_LENGTH = 255


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


def account_of(_request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """Return the login that these credentials claim, whether or not it exists.

    Django's signal has what ``authenticate`` was given; axes' own backend renames it.
    """
    given = credentials or {}
    typed = given.get("username") or given.get(User.USERNAME_FIELD) or ""
    username = normalise_username(str(typed))
    institution = given.get("institution")
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


def _last_lock(failures: QuerySet[AccessFailureLog], limit: Limit) -> list[Lock]:
    """Return the lock that these rows opened, if there is one."""
    newest = failures.order_by("-attempt_time").values_list("attempt_time", flat=True)
    lock = last_lock(list(newest[: limit.failures * LOCKS_REMEMBERED])[::-1], limit)
    return [] if lock is None else [lock]


def _account_locks(account: str, now: datetime) -> list[Lock]:
    """Each further failure locks an account again: guesses are what it is locked for."""
    since = now - MEMORY
    succeeded_at = AccessLog.objects.filter(
        username=account, attempt_time__gt=since
    ).aggregate(last=Max("attempt_time"))["last"]
    failures = AccessFailureLog.objects.filter(
        username=account, attempt_time__gt=succeeded_at or since
    )
    return _last_lock(failures, _limit(conf.login_failures_per_account, again=1))


def _address_locks(address: str | None, now: datetime) -> list[Lock]:
    """Many people share an address, and some mistype: a lock needs the whole count again.

    An IPv6 address waits with its network of /64, which is what failures are stored under.
    """
    if address is None:
        return []
    failures = AccessFailureLog.objects.filter(
        ip_address=address, attempt_time__gt=now - MEMORY
    )
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


class LoginLimits(AxesDatabaseHandler):
    """The handler that ``AXES_HANDLER`` names; axes calls it through its own signals."""

    def is_locked(
        self, request: HttpRequest, credentials: dict[str, Any] | None = None
    ) -> bool:
        """Return whether to refuse without looking at the password."""
        account = account_of(request, credentials)
        return seconds_to_wait(request, account) > 0

    def user_login_failed(
        self,
        sender: Any,
        credentials: dict[str, Any],
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> None:
        """Record a failure; an attempt during a pause is refused and prolongs nothing."""
        if request is None:
            return
        account = account_of(request, credentials)
        if request.axes_locked_out:  # type: ignore[attr-defined]
            request.axes_credentials = credentials  # type: ignore[attr-defined]
            return
        AccessFailureLog.objects.create(
            username=account,
            ip_address=request.axes_ip_address,  # type: ignore[attr-defined]
        )

    def user_logged_in(
        self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any
    ) -> None:
        """Record the success, which ends the account's count but not the address's.

        The browser is known from now on.
        """
        AccessLog.objects.create(
            username=user.get_username(),
            ip_address=request.axes_ip_address,  # type: ignore[attr-defined]
        )
        devices.note(request, user.get_username())

    def user_logged_out(
        self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any
    ) -> None:
        """Nothing: the session table knows when a session ends."""

    def reset_attempts(
        self,
        *,
        ip_address: str | None = None,
        username: str | None = None,
        ip_or_username: bool = False,
    ) -> int:
        """Lift a lock; behind ``manage.py axes_reset_username`` and ``axes_reset_ip``.

        An IPv6 address stands for its network of /64; text that is no address for nothing.
        """
        failures = AccessFailureLog.objects.all()
        if username:
            failures = failures.filter(username=normalise_username(username))
        if ip_address:
            counted = address_ident(ip_address)
            if counted is None:
                return 0
            failures = failures.filter(ip_address=counted)
        return lift(failures, by="manage.py")


@transaction.atomic
def lift(failures: QuerySet[AccessFailureLog], *, by: str) -> int:
    """Delete failures, which lifts the locks they opened; return how many there were.

    Each account is recorded, with who lifted the lock and where the failures came from.
    """
    places: dict[str, list[str]] = {}
    for account, place in failures.order_by("pk").values_list("username", "ip_address"):
        places.setdefault(account or "", []).append(place or "")
    for account, seen in places.items():
        audit.record(
            AuditEvent.Action.LOGIN_UNLOCKED,
            actor=by,
            subject=account,
            failures=len(seen),
            addresses=sorted(set(seen)),
        )
    return failures.delete()[0]


def purgeable(now: datetime) -> list[QuerySet[Any]]:
    """Return what no limit looks at any more, for ``clear_expired``."""
    return [
        AccessFailureLog.objects.filter(attempt_time__lte=now - MEMORY),
        AccessLog.objects.filter(attempt_time__lte=now - MEMORY),
    ]
