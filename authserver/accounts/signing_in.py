"""Signing in by django-allauth's flow: a password, then whatever stages follow it.

The session is the account's once the last stage is done (``AccountAdapter.login``).
"""

import time
from typing import Any

from allauth.account.authentication import (
    AUTHENTICATION_METHODS_SESSION_KEY,
    get_authentication_records,
)
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse

from authserver.accounts import sessions
from authserver.conf import conf
from authserver.models import User

REFEDS_SFA = "https://refeds.org/profile/sfa"
REFEDS_MFA = "https://refeds.org/profile/mfa"
PROVED_AT = "proved_at"
"""In the state of a trip to a provider: when the person proved there who they are."""
_AMR = {"password": "pwd", "totp": "otp", "recovery_codes": "otp", "webauthn": "hwk"}


def with_password(request: HttpRequest, user: User, *, then: str) -> HttpResponse:
    """Go on with an account whose password was right, and to ``then``, a path of ours.

    A session that is somebody's ends here, also when a stage is not passed.
    """
    end_session(request)
    login = Login(user=user, redirect_url=then)
    return perform_password_login(request, {"username": user.login}, login)


def end_session(request: HttpRequest) -> None:
    """End a session that is somebody's, before somebody signs in."""
    with sessions.keeping_what_was_begun(request):
        request.session.flush()
        request.user = AnonymousUser()


def is_stale(request: HttpRequest) -> bool:
    """Return whether who is signed in has to prove it again before touching secrets."""
    longest = conf.fresh_sign_in.total_seconds()
    return longest > 0 and time.time() - moment(request) > longest


def require_fresh(request: HttpRequest) -> None:
    """Raise ``ReauthenticationRequired``, which leads to a page that asks again."""
    if is_stale(request):
        raise ReauthenticationRequired


def vouched(request: HttpRequest, user: User, proved_at: float) -> None:
    """Let a provider's sign-in count from when it asked, and not from the arrival."""
    *others, last = get_authentication_records(request, user)
    request.session[AUTHENTICATION_METHODS_SESSION_KEY] = [
        *others,
        {**last, "at": proved_at},
    ]


def moment(request: HttpRequest) -> float:
    """Return when whoever is signed in last proved who they are (Unix time).

    0 where nobody knows: of sessions of before that was kept, and of providers that keep
    it to themselves.
    """
    records = get_authentication_records(request, request.user)
    return max((float(record["at"]) for record in records), default=0.0)


def methods(request: HttpRequest) -> list[str]:
    """Return by what the session was signed in to: ``password``, ``mfa``, …, in order."""
    return [
        str(record["method"])
        for record in get_authentication_records(request, request.user)
    ]


def amr(request: HttpRequest) -> list[str]:
    """Return how the session was signed in to, in the words of RFC 8176."""
    records = get_authentication_records(request, request.user)
    named = {_AMR.get(record.get("type", record["method"]), "") for record in records}
    factors = [record for record in records if record["method"] == "mfa"]
    return sorted(named - {""} | ({"mfa"} if _is_strong(factors, records) else set()))


def acr(request: HttpRequest) -> str:
    """Return the profile of the sign-in: one factor, or several (REFEDS)."""
    return REFEDS_MFA if "mfa" in amr(request) else REFEDS_SFA


def _is_strong(factors: list[dict[str, Any]], records: list[dict[str, Any]]) -> bool:
    """Return whether there were two factors, or a passkey, which is two by itself."""
    has_passkey = any(record.get("passwordless") for record in factors)
    return has_passkey or (bool(factors) and len(records) > len(factors))
