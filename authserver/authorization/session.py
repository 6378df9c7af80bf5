"""What the browser remembers between pages: who is signed in where, what was begun.

Only this module knows the keys of the session and of the cookie.
"""

import secrets
from dataclasses import replace
from datetime import datetime
from enum import Enum
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import auth
from django.core import signing
from django.http import HttpRequest, HttpResponse

from authserver import errors, retention
from authserver.accounts import factors, sessions, signing_in
from authserver.authorization import consents, pending
from authserver.authorization.pending import Pending
from authserver.authorization.requests import AuthorizationRequest
from authserver.crypto import opaque
from authserver.models import Institution, User
from authserver.models.institution import InstitutionQuerySet

ANEW, SWITCH, FRESH = "anew", "switch", "fresh"
"""A provider is to ask anew: for somebody else, or because the last proof is too old."""
_COOKIE = "institution"
# No path: what browsers hold was made with it.
_COOKIE_SALT = "authserver.journey.institution"
COOKIE_SECONDS = 180 * 24 * 3600
MAX_OPEN_CHOICES = 20
"""Of so many open requests, the newest, the user may change the choice once it is made."""


class Step(Enum):
    """What the user is to see next."""

    INSTITUTION = "institution"
    LOGIN = "login"
    PASSWORD = "password"  # noqa: S105 -- a page
    """Of a user who must change it."""
    FACTORS = "factors"
    """Of a user who must add a second factor."""
    GRANT = "grant"
    FINISH = "finish"
    """Nothing: all of it was allowed before."""


def binding(request: HttpRequest) -> str:
    """Return the random value that ties pending requests to this browser, or ``""``."""
    value: str = request.session.get(sessions.BINDING, "")
    return value


def begin(
    request: HttpRequest, authorization: AuthorizationRequest, *, now: datetime
) -> tuple[str, Pending]:
    """Keep a validated request for this browser; return its handle, and what is kept."""
    if not binding(request):
        request.session[sessions.BINDING] = secrets.token_urlsafe(32)
    handle, pending_request = pending.store(
        authorization, binding=binding(request), now=now
    )
    retention.clear_few(now)
    if authorization.institution is None:
        choosing = [*request.session.get(sessions.CHOOSING, []), opaque.digest(handle)]
        request.session[sessions.CHOOSING] = choosing[-MAX_OPEN_CHOICES:]
    return handle, pending_request


def can_change_institution(
    request: HttpRequest, pending_request: Pending, handle: str
) -> bool:
    """Return whether the institution is the user's choice, and not the application's."""
    if pending_request.request.institution is None:
        return True
    return opaque.digest(handle) in request.session.get(sessions.CHOOSING, [])


def next_step(request: HttpRequest, pending_request: Pending, *, now: datetime) -> Step:
    """Return where a pending request stands (spec 4.1: institution, login, grant)."""
    authorization = pending_request.request
    if authorization.institution is None:
        return Step.INSTITUTION
    user = signed_in_for(request, pending_request)
    if user is None:
        return Step.LOGIN
    if user.must_change_password:
        return Step.PASSWORD
    if factors.is_missing(request, user):
        return Step.FACTORS
    granted = consents.granted_before(
        user_id=user.pk,
        key_id=authorization.key.pk,
        institution_id=authorization.key.institution_pks[authorization.institution],
        now=now,
    )
    asks_again = authorization.openid is not None and authorization.openid.asks_again
    is_covered = consents.covers(granted, authorization.scopes)
    if authorization.remembers_consent and is_covered and not asks_again:
        return Step.FINISH
    return Step.GRANT


def require_no_page(
    request: HttpRequest, authorization: AuthorizationRequest, *, now: datetime
) -> AuthorizationRequest:
    """Return a request with ``prompt=none``, at the institution of whoever is signed in.

    Raises ``AuthorizationError`` where the user would have to see a page.
    """
    user = signed_in(request)
    at = user.institution.registry_id if user and user.institution else None
    if authorization.institution is None and at in authorization.key.institutions:
        authorization = replace(authorization, institution=at)
    step = next_step(
        request,
        Pending(pk=0, request=authorization, asked_at=now, expires_at=now),
        now=now,
    )
    openid = authorization.openid
    is_other = bool(user and openid and not openid.is_about(user))
    if step in {Step.INSTITUTION, Step.LOGIN} or is_other:
        error: errors.OAuthError = errors.LoginRequired("the user has to sign in")
    elif step is Step.GRANT:
        error = errors.ConsentRequired("the user has to allow the access")
    elif step is Step.PASSWORD:
        error = errors.InteractionRequired("the user has to change the password")
    elif step is Step.FACTORS:
        error = errors.InteractionRequired("the user has to add a second factor")
    else:
        return authorization
    raise authorization.authorization_error(error)


def signed_in_for(request: HttpRequest, pending_request: Pending) -> User | None:
    """Return who is signed in at the institution of a request, as recently as it asks."""
    authorization = pending_request.request
    if authorization.institution is None:
        return None
    user = signed_in(request, authorization.institution)
    if user is None or authorization.openid is None:
        return user
    since = authorization.openid.sign_in_since(pending_request.asked_at)
    is_recent = since is None or signing_in.moment(request) >= since.timestamp()
    return user if is_recent and signing_in.methods(request) else None


def authentication(request: HttpRequest) -> dict[str, Any]:
    """Return the claims about the sign-in of this session (OpenID Connect Core 2)."""
    moment = int(signing_in.moment(request))
    return {
        **({"auth_time": moment} if moment else {}),
        "amr": signing_in.amr(request),
        "acr": signing_in.acr(request),
    }


def signed_in(request: HttpRequest, registry_id: str | None = None) -> User | None:
    """Return who is signed in, at this very institution if one is named (decisions 3.9).

    The session remembers the institution that the person logged in at, so an account that
    was moved since has to log in again. Administrators of the platform belong to none.
    """
    user = request.user
    if not isinstance(user, User) or user.institution is None:
        return None
    at = user.institution.registry_id
    if request.session.get(sessions.INSTITUTION) != at or registry_id not in {None, at}:
        return None
    return user


def account(request: HttpRequest) -> User | None:
    """Return who is signed in, at their institution or, on the platform, at none."""
    user = request.user
    if isinstance(user, User) and user.institution is None:
        return user
    return signed_in(request)


def come_back_to(request: HttpRequest, url: str) -> None:
    """Remember where somebody goes on after signing in: a path of this server alone."""
    if get_adapter().is_safe_url(url):
        request.session[sessions.WANTED] = url


def wanted(request: HttpRequest) -> str:
    """Return the page that was asked for before the sign-in, once, or ``""``."""
    url: str = request.session.pop(sessions.WANTED, "")
    return url


def switch_account(request: HttpRequest) -> None:
    """End the session, but let the request that is under way go on with somebody else."""
    with sessions.keeping_what_was_begun(request):
        auth.logout(request)


def remembered(
    request: HttpRequest, institutions: InstitutionQuerySet
) -> Institution | None:
    """Return the last choice on this device, if it is one of ``institutions`` today."""
    try:
        registry_id = request.get_signed_cookie(
            _cookie_name(), salt=_COOKIE_SALT, max_age=COOKIE_SECONDS
        )
    except (KeyError, signing.BadSignature):
        return None
    return institutions.filter(registry_id=registry_id).first()


def remember(response: HttpResponse, institution: Institution) -> None:
    """Keep the choice on this device."""
    response.set_signed_cookie(
        _cookie_name(),
        institution.registry_id,
        salt=_COOKIE_SALT,
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponse) -> None:
    """Remove the choice from this device."""
    response.delete_cookie(_cookie_name(), samesite="Lax")


def _cookie_name() -> str:
    return f"__Host-{_COOKIE}" if settings.SESSION_COOKIE_SECURE else _COOKIE
