"""Accounts and addresses that are locked, as ten or a hundred failed logins lock them."""

import time

from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.test import RequestFactory

from authserver.accounts import login_limits


def record_failures(count, *, account="", address="192.0.2.1"):
    """Count failures of now, at an account or else at an address."""
    request = RequestFactory(REMOTE_ADDR=address).post("/")
    for rate in ratelimit.get_rates(**login_limits.LIMIT):
        if rate.per == ("key" if account else "ip"):
            name = ratelimit.get_cache_key(
                request, **login_limits.LIMIT, rate=rate, key=account
            )
            moments = [time.time() - n / 1_000_000 for n in range(1, count + 1)]
            cache.set(name, moments, rate.duration)


def lock(*users):
    for user in users:
        record_failures(10, account=user.login)


def is_locked(user):
    request = RequestFactory(REMOTE_ADDR="198.51.100.250").post("/")
    return login_limits.seconds_to_wait(request, user.login) > 0
