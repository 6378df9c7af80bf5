"""Authorization codes at the token endpoint: found, checked, spent exactly once.

What decides a race is always one conditional UPDATE, which holds on every database.
"""

from __future__ import annotations

import hashlib
import re
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

from django.db.models import F
from django.utils.crypto import constant_time_compare

from authserver import vault
from authserver.conf import conf
from authserver.models import AuditEvent, Grant
from authserver.oauth import tokens
from authserver.refusals import InvalidGrant, InvalidRequest

if TYPE_CHECKING:
    from authserver.oauth.exchange import Exchange

CODE_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_WRONG = "the code is not valid"


def find(exchange: Exchange) -> Grant:
    """Return the grant of the code if this client may still redeem it (RFC 6749 4.1.3).

    A second redemption revokes everything that the first one brought (section 4.1.2). A
    code in the hands of another client says nothing about the owner's, and revokes nothing.
    Raises ``InvalidGrant``, with one message for all.
    """
    grant = Grant.objects.by_code(vault.digest(exchange.client_request.get("code")))
    if grant is None or grant.application_id != exchange.key.pk:
        raise InvalidGrant(_WRONG)
    exchange.grant = grant
    if grant.redeemed_at is not None:
        replayed(exchange)
    if grant.expires <= exchange.now:
        raise InvalidGrant(_WRONG)
    return grant


def replayed(exchange: Exchange) -> None:
    """Revoke what was issued from a spent code. Always raises ``InvalidGrant``."""
    if tokens.revoke_family(exchange.family, exchange.now):
        tokens.audit_exchange(exchange, AuditEvent.Action.CODE_REPLAYED)
    raise InvalidGrant(_WRONG)


def check_verifier(exchange: Exchange, grant: Grant) -> None:
    """Compare the PKCE verifier with the challenge (RFC 7636 section 4.6).

    A verifier for a code without a challenge is a downgrade in progress (RFC 9700 section
    2.1.1), and so is a code without one for a key that must use PKCE by now. Raises
    ``InvalidRequest`` when the verifier is missing, ``InvalidGrant`` when it is wrong.
    """
    verifier = exchange.client_request.get("code_verifier")
    if not grant.code_challenge:
        if verifier or not exchange.key.may_omit_pkce:
            raise InvalidGrant("the code was issued without a code_challenge")
        return
    if not verifier:
        raise InvalidRequest("required parameter 'code_verifier' is missing or blank")
    digest = hashlib.sha256(verifier.encode("utf-8", "surrogatepass")).digest()
    challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
    matches = constant_time_compare(challenge, grant.code_challenge)
    if not (CODE_VERIFIER.fullmatch(verifier) and matches):
        _count_wrong_verifier(exchange, grant)
        raise InvalidGrant("code_verifier does not fit the code")


def _count_wrong_verifier(exchange: Exchange, grant: Grant) -> None:
    """Count in the database, so that parallel guesses count too; one of them burns."""
    unspent = Grant.objects.filter(pk=grant.pk, redeemed_at__isnull=True)
    unspent.update(failed_verifiers=F("failed_verifiers") + 1)
    last = unspent.filter(failed_verifiers__gte=conf.wrong_verifiers_per_code)
    if last.update(redeemed_at=exchange.now):
        tokens.audit_exchange(exchange, AuditEvent.Action.CODE_BURNED)


def spend(exchange: Exchange, grant: Grant) -> bool:
    """Redeem the code; ``False`` when another request did so first."""
    changed = Grant.objects.filter(pk=grant.pk, redeemed_at__isnull=True).update(
        redeemed_at=exchange.now
    )
    return bool(changed)
