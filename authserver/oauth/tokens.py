"""Access and refresh tokens: issued, rotated, revoked, looked into; stored as digests."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.dispatch import Signal

from authserver import audit
from authserver.conf import conf
from authserver.crypto import opaque
from authserver.errors import InvalidGrant
from authserver.keys import policy
from authserver.keys.store import Client, ServiceKeyStore
from authserver.models import AccessToken, AuditEvent, RefreshToken
from authserver.models.token import revoke_family
from authserver.oauth.token_request import Issued, TokenRequest

tokens_issued = Signal()
"""Sent when a client gets tokens; with ``grant_type``, by its name in RFC 6749."""

_WRONG = "the refresh token is not valid"
INACTIVE: dict[str, Any] = {"active": False}


def issue(
    token_request: TokenRequest,
    *,
    access_token: str,
    refresh_token: str,
    refresh_token_expires_at: datetime | None = None,
) -> Issued:
    """Store the tokens of a request; the caller holds the transaction.

    ``refresh_token_expires_at`` is that of the family, if there is one already: rotation
    does not prolong it (decisions 4).
    """
    issued = Issued(
        access_token=access_token,
        expires_at=token_request.now + conf.access_token_lifetime,
        refresh_token=refresh_token,
        refresh_token_expires_at=(
            refresh_token_expires_at or token_request.now + conf.refresh_token_lifetime
        ),
    )
    owned = {
        "user": token_request.user,
        "application_id": token_request.key.pk,
        "institution_id": token_request.institution_pk,
        "token_family": token_request.family,
    }
    AccessToken.objects.create(
        **owned,
        token_checksum=opaque.digest(access_token),
        expires=issued.expires_at,
        scope=str(token_request.scopes),
    )
    if refresh_token:
        RefreshToken.objects.create(
            **owned,
            token_checksum=opaque.digest(refresh_token),
            expires_at=issued.refresh_token_expires_at,
            scope=_refresh_scope(token_request),
        )
    return issued


def find_refresh_token(token_request: TokenRequest) -> RefreshToken:
    """Return the refresh token if this client may still use it (RFC 6749 section 6).

    A second use revokes its family: either of the two users stole it (RFC 9700
    section 4.14.2). Raises ``InvalidGrant``, with one message for all.
    """
    digest = opaque.digest(token_request.client_request.get("refresh_token"))
    token = RefreshToken.objects.with_holder().filter(token_checksum=digest).first()
    if token is None:
        token_request.fail(InvalidGrant(_WRONG), cause="refresh_token_unknown")
    token_request.refresh_token = token
    if token.application_id != token_request.key.pk:
        token_request.fail(InvalidGrant(_WRONG), cause="refresh_token_of_another_client")
    if token.revoked is not None:
        refresh_replayed(token_request)
    if token.expires_at <= token_request.now:
        token_request.fail(InvalidGrant(_WRONG), cause="refresh_token_expired")
    return token


def refresh_replayed(token_request: TokenRequest) -> None:
    """Revoke the family of a used refresh token. Always raises ``InvalidGrant``."""
    if revoke_family(token_request.family, token_request.now):
        token_request.recorded_as = AuditEvent.Action.REFRESH_REPLAYED
    token_request.fail(InvalidGrant(_WRONG), cause="refresh_token_spent")


def consume_refresh_token(token_request: TokenRequest, token: RefreshToken) -> bool:
    """Spend the refresh token; ``False`` when another request did so first."""
    unused = RefreshToken.objects.filter(pk=token.pk, revoked__isnull=True)
    return bool(unused.update(revoked=token_request.now))


def give_back(token: str, *, key: Client, now: datetime) -> None:
    """Revoke a token of this key (RFC 7009 section 2.1); without one do nothing."""
    for model in (AccessToken, RefreshToken):
        row = model.objects.by_digest(opaque.digest(token))
        if row is not None and row.application_id == key.pk:
            revoke(row, client_id=key.client_id, actor=key.client_id, now=now)
            return


@transaction.atomic
def revoke(
    token: AccessToken | RefreshToken, *, client_id: str, actor: str, now: datetime
) -> None:
    """Revoke a token with its whole family, on record."""
    token.revoke()
    audit.record(
        AuditEvent.Action.TOKEN_REVOKED,
        actor=actor,
        subject=token.user.login if token.user is not None else "",
        client_id=client_id,
        registry_id=token.institution.registry_id,
        at=now,
    )


def introspect(token: str, *, caller: Client, now: datetime) -> dict[str, Any]:
    """Return what the token is, to a caller that has one of its services live itself.

    Everything that stops a token elsewhere makes it inactive here: a disabled user, a
    canceled or expired key, a lost institution, services that ended.
    """
    access_token = ServiceKeyStore().find_token(token)
    if access_token is None or not policy.is_token_in_force(access_token, now):
        return INACTIVE
    services = policy.live_services(access_token.key, access_token.scopes, now)
    if not policy.live_services(caller, services, now):
        return INACTIVE
    principal = access_token.principal
    members: dict[str, Any] = {
        "active": True,
        "scope": " ".join(sorted(services)),
        "client_id": access_token.key.client_id,
        "token_type": "bearer",
        "exp": int(access_token.expires_at.timestamp()),
        "iss": conf.issuer,
        "contextInstitutionId": access_token.institution,
        "principalID": principal.identifier if principal is not None else "",
        "principalIDNS": principal.namespace if principal is not None else "",
    }
    if principal is not None:
        members["sub"] = principal.identifier
    return members


def audit_token_request(
    token_request: TokenRequest, action: AuditEvent.Action, **details: str
) -> None:
    """Record what happened to an token_request."""
    row = token_request.grant or token_request.refresh_token
    user = token_request.user or (row.user if row is not None else None)
    institution = row.institution.registry_id if row is not None else ""
    audit.record(
        action,
        actor=token_request.key.client_id,
        subject=user.login if user is not None else "",
        client_id=token_request.key.client_id,
        registry_id=token_request.registry_id or institution,
        at=token_request.now,
        grant_type=token_request.client_request.get("grant_type"),
        **details,
    )


def _refresh_scope(token_request: TokenRequest) -> str:
    # A new refresh token has the scope of the one it replaces, however narrow the access
    # token was asked for (RFC 6749 section 6).
    row = token_request.refresh_token or token_request.grant
    return str(row.scope if row is not None else token_request.scopes)
