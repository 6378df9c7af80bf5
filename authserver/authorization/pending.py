"""The authorization request while the user chooses an institution, logs in and decides.

How the pages use it::

    handle, kept = pending.store(request, binding=binding, now=now)  # the next address
    kept = pending.load(handle, binding=binding, now=now)  # None: over, or not yours
    kept.check(now)  # what may have ended since
    kept = pending.choose_institution(kept, registry_id, now=now)
    url = pending.issue_code(kept, user=user, granted={"calendar_events"}, now=now)
    url = pending.deny(kept, now=now)

``binding`` is a random value that only this browser's session holds, and that survives
login. A pending request is consumed once, by a grant or a denial; who comes second gets
``RequestAlreadyUsed``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import constant_time_compare

from authserver import audit, errors
from authserver.authorization import consents
from authserver.authorization.openid_request import OpenIDRequest
from authserver.authorization.requests import AuthorizationRequest, redirect_url
from authserver.conf import conf
from authserver.crypto import opaque
from authserver.keys import policy
from authserver.keys.scopes import Scopes
from authserver.keys.store import find_client
from authserver.models import AuditEvent, Grant, PendingRequest, User
from authserver.parsing import redirect_uris
from platform_errors.errors import base
from platform_errors.signing.ladder import require_active_key


class RequestAlreadyUsed(Exception):
    """The pending request was granted or denied before, or has expired meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A stored request, read back with the key as it is now."""

    pk: int
    request: AuthorizationRequest
    """Its ``institution`` is the one chosen so far, or ``None``."""
    asked_at: datetime
    expires_at: datetime

    def check(self, now: datetime) -> None:
        """Check again what may have changed since: key, services, institution.

        Raises ``AuthorizationError``.
        """
        request = self.request
        try:
            require_active_key(request.key, now)
            policy.check_services(request.key, request.scopes, now)
            policy.check_institution(request.key, request.scopes, request.institution)
        except base.ApiError as error:
            raise request.authorization_error(error) from None


def store(
    request: AuthorizationRequest, *, binding: str, now: datetime
) -> tuple[str, Pending]:
    """Keep a validated request; return the handle for the pages, and what is kept."""
    handle = opaque.new_handle()
    institution = request.institution
    row = PendingRequest.objects.create(
        handle=opaque.digest(handle),
        binding=opaque.digest(binding),
        key_id=request.key.pk,
        institution_id=request.key.institution_pks[institution] if institution else None,
        redirect_uri=request.redirect_uri,
        scope=str(request.scopes),
        state=request.state,
        code_challenge=request.code_challenge,
        openid=request.openid.dump() if request.openid else None,
        created_at=now,
        expires_at=now + conf.pending_request_lifetime,
    )
    return handle, Pending(
        pk=row.pk, request=request, asked_at=now, expires_at=row.expires_at
    )


def load(handle: str, *, binding: str, now: datetime) -> Pending | None:
    """Return the pending request of this handle, if it is this browser's and still open.

    ``None`` too when its key or redirect address has been removed since.
    """
    row = (
        PendingRequest.objects.select_related("key", "institution")
        .filter(handle=opaque.digest(handle), consumed_at__isnull=True, expires_at__gt=now)
        .first()
    )
    is_ours = row is not None and constant_time_compare(row.binding, opaque.digest(binding))
    key = find_client(row.key.client_id) if row is not None and is_ours else None
    if row is None or key is None:
        return None
    if not redirect_uris.is_registered(row.redirect_uri, key.redirect_addresses):
        return None
    return Pending(
        pk=row.pk,
        asked_at=row.created_at,
        expires_at=row.expires_at,
        request=AuthorizationRequest(
            key=key,
            redirect_uri=row.redirect_uri,
            scopes=Scopes.parse(row.scope),
            state=row.state,
            code_challenge=row.code_challenge,
            institution=row.institution.registry_id if row.institution else None,
            openid=OpenIDRequest.load(row.openid) if row.openid else None,
        ),
    )


def choose_institution(pending: Pending, registry_id: str, *, now: datetime) -> Pending:
    """Fix the institution where the user will log in, in place of an earlier choice.

    Raises ``AuthorizationError`` for one that the key lacks, or that contradicts
    ``context:``, and ``RequestAlreadyUsed``.
    """
    request = pending.request
    try:
        policy.check_institution(request.key, request.scopes, registry_id)
    except base.ApiError as error:
        raise request.authorization_error(error) from None
    changed = _open(pending, now).update(
        institution_id=request.key.institution_pks[registry_id]
    )
    if not changed:
        raise RequestAlreadyUsed
    return replace(pending, request=replace(request, institution=registry_id))


def prolong(pending: Pending, until: datetime) -> None:
    """Keep an open request until then at least: its user leaves for another server."""
    PendingRequest.objects.filter(
        pk=pending.pk, consumed_at__isnull=True, expires_at__lt=until
    ).update(expires_at=until)


def deny(pending: Pending, *, now: datetime, user: User | None = None) -> str:
    """Consume the request and return the address that says so.

    Raises ``RequestAlreadyUsed``.
    """
    request = pending.request
    with transaction.atomic():
        _consume(pending, now)
        audit.record(
            AuditEvent.Action.ACCESS_DENIED,
            actor=user.login if user else "",
            subject=user.login if user else "",
            client_id=request.key.client_id,
            registry_id=request.institution or "",
            at=now,
            scopes=str(request.scopes),
        )
    error = request.authorization_error(errors.AccessDenied("the user denied access"))
    assert error.location is not None  # noqa: S101 -- the address was verified
    return error.location


def issue_code(
    pending: Pending,
    *,
    user: User,
    granted: Collection[str],
    now: datetime,
    authentication: Mapping[str, Any] | None = None,
) -> str:
    """Consume the request, issue a code and return the address that carries it.

    ``granted`` are the tokens that the user allowed; what was not requested is ignored, and
    neither a service nor ``openid`` among them is a denial. ``authentication`` holds the
    claims of an ID token about the sign-in. Key, services, institution and user are asked
    once more. The consent is remembered where decisions 3.8 allows it. Raises
    ``AuthorizationError`` and ``RequestAlreadyUsed``.
    """
    request = pending.request
    scopes = request.scopes.narrowed_to(granted)
    if not scopes.services and not scopes.identity:
        return deny(pending, now=now, user=user)
    pending.check(now)
    institution = request.institution
    if institution is None or not _may_grant(user, institution):
        raise request.authorization_error(errors.AccessDenied("Invalid user"))
    if request.openid is not None and not request.openid.is_about(user):
        other = errors.LoginRequired("the user is not the one of id_token_hint")
        raise request.authorization_error(other)
    institution_id = request.key.institution_pks[institution]
    code = opaque.new_code()
    with transaction.atomic():
        _consume(pending, now)
        Grant.objects.create(
            code=opaque.digest(code),
            user=user,
            application_id=request.key.pk,
            institution_id=institution_id,
            redirect_uri=request.redirect_uri,
            scope=str(scopes),
            code_challenge=request.code_challenge,
            code_challenge_method="S256" if request.code_challenge else "",
            expires=now + conf.code_lifetime,
            nonce=request.openid.nonce if request.openid else "",
            authentication=dict(authentication or {}) if request.openid else None,
        )
        if request.remembers_consent:
            consents.remember(
                user_id=user.pk,
                key_id=request.key.pk,
                institution_id=institution_id,
                scopes=scopes,
                now=now,
            )
        audit.record_account(
            AuditEvent.Action.ACCESS_GRANTED,
            user,
            client_id=request.key.client_id,
            at=now,
            scopes=str(scopes),
        )
    return redirect_url(request.redirect_uri, code=code, state=request.state)


def _may_grant(user: User, institution: str) -> bool:
    """Return whether the account is, now, an active one of the institution."""
    return User.objects.filter(
        pk=user.pk, is_active=True, institution__registry_id=institution
    ).exists()


def _open(pending: Pending, now: datetime) -> QuerySet[PendingRequest]:
    return PendingRequest.objects.filter(
        pk=pending.pk, consumed_at__isnull=True, expires_at__gt=now
    )


def _consume(pending: Pending, now: datetime) -> None:
    # One conditional UPDATE decides the race of a double click, on every database.
    if not _open(pending, now).update(consumed_at=now):
        raise RequestAlreadyUsed
