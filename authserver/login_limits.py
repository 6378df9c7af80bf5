"""How often a login may fail, by account and by address (decisions 3.10).

django-axes does the wiring (a backend that refuses before a password is looked at, a
middleware that answers for it, Django admin included) and the storage. Its own rule, a
fixed pause after a fixed count, is replaced by ``locked_until``: pauses that grow.
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
from authserver.backends import login_at
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, User
from authserver.text import normalise_username
from platform_errors.client_address import counted_address

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

MEMORY = timedelta(days=1)
"""Failures older than this count for nothing; ``clear_expired`` removes them."""
NEWEST_FAILURES = 200
"""No more are looked at: enough for the largest sensible limit and a day of pauses."""
ACCOUNT_LENGTH = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """So many failures within the window, then pauses from ``shortest`` to ``longest``."""

    failures: int
    window: timedelta
    shortest: timedelta
    longest: timedelta


def locked_until(failures: Iterable[datetime], limit: Limit) -> datetime | None:
    """Return when the pause after these failures (oldest first) ends, if there is one.

    The limit opens a lock; after it, every further failure doubles the pause. A lock is
    forgotten when a whole window passes without a failure after its pause.
    """
    window: deque[datetime] = deque()
    until: datetime | None = None
    pause = limit.shortest
    for moment in failures:
        if until is not None and moment - until >= limit.window:
            until, pause = None, limit.shortest
        window.append(moment)
        while moment - window[0] >= limit.window:
            window.popleft()
        if until is not None:
            pause = min(pause * 2, limit.longest)
        if until is not None or len(window) >= limit.failures:
            until = moment + pause
    return until


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


def _limit(failures: int) -> Limit:
    return Limit(
        failures=failures,
        window=timedelta(seconds=conf.login_window_seconds),
        shortest=timedelta(seconds=conf.login_backoff_min_seconds),
        longest=timedelta(seconds=conf.login_backoff_max_seconds),
    )


def _moments(failures: QuerySet[Any]) -> list[datetime]:
    newest = failures.order_by("-attempt_time").values_list("attempt_time", flat=True)
    return list(newest[:NEWEST_FAILURES])[::-1]


def _account_failures(account: str, since: datetime) -> list[datetime]:
    succeeded_at = AccessLog.objects.filter(
        username=account, attempt_time__gt=since
    ).aggregate(last=Max("attempt_time"))["last"]
    return _moments(
        AccessFailureLog.objects.filter(
            username=account, attempt_time__gt=succeeded_at or since
        )
    )


def _address_failures(address: str, since: datetime) -> list[datetime]:
    return _moments(
        AccessFailureLog.objects.filter(ip_address=address, attempt_time__gt=since)
    )


def seconds_to_wait(account: str, address: str | None) -> int:
    """Return for how long this account or this address must wait; 0 when it need not.

    An IPv6 address waits with its network of /64, which is what failures are stored under.
    """
    now = timezone.now()
    ends = [
        locked_until(
            _account_failures(account, now - MEMORY),
            _limit(conf.login_failures_per_account),
        )
    ]
    counted = counted_address(address or "")
    if counted is not None:
        ends.append(
            locked_until(
                _address_failures(counted, now - MEMORY),
                _limit(conf.login_failures_per_address),
            )
        )
    longest = max((end - now for end in ends if end is not None), default=timedelta(0))
    return max(0, -int(-longest.total_seconds() // 1))


class LoginLimits(AxesDatabaseHandler):
    """The handler that ``AXES_HANDLER`` names; axes calls it through its own signals."""

    def is_locked(
        self, request: HttpRequest, credentials: dict[str, Any] | None = None
    ) -> bool:
        """Return whether to refuse without looking at the password."""
        account = account_of(request, credentials)
        return seconds_to_wait(account, request.axes_ip_address) > 0  # type: ignore[attr-defined]

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
        """Record the success, which ends the account's count but not the address's."""
        AccessLog.objects.create(
            username=user.get_username(),
            ip_address=request.axes_ip_address,  # type: ignore[attr-defined]
        )

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
            counted = counted_address(ip_address)
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


def forgotten(now: datetime) -> list[QuerySet[Any]]:
    """Return what no limit looks at any more, for ``clear_expired``."""
    return [
        AccessFailureLog.objects.filter(attempt_time__lte=now - MEMORY),
        AccessLog.objects.filter(attempt_time__lte=now - MEMORY),
    ]
