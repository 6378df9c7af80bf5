"""Authorization codes at the token endpoint: found, checked, consumed exactly once.

What decides a race is always one conditional UPDATE, which holds on every database.
"""

import hashlib
from base64 import urlsafe_b64encode

from django.db.models import F

from authserver.conf import conf
from authserver.crypto import opaque
from authserver.errors import InvalidGrant, InvalidRequest
from authserver.models import AuditEvent, Grant
from authserver.models.token import revoke_family
from authserver.oauth.token_request import TokenRequest

_WRONG = "the code is not valid"


def find(token_request: TokenRequest) -> Grant:
    """Return the grant of the code if this client may still redeem it (RFC 6749 4.1.3).

    A second redemption revokes everything that the first one brought (section 4.1.2). A
    code in the hands of another client says nothing about the owner's, and revokes nothing.
    Raises ``InvalidGrant``, with one message for all.
    """
    digest = opaque.digest(token_request.client_request.get("code"))
    grant = Grant.objects.with_holder().filter(code=digest).first()
    if grant is None:
        token_request.fail(InvalidGrant(_WRONG), cause="code_unknown")
    token_request.grant = grant
    if grant.application_id != token_request.key.pk:
        token_request.fail(InvalidGrant(_WRONG), cause="code_of_another_client")
    if grant.redeemed_at is not None:
        replayed(token_request)
    if grant.expires <= token_request.now:
        token_request.fail(InvalidGrant(_WRONG), cause="code_expired")
    return grant


def replayed(token_request: TokenRequest) -> None:
    """Revoke what was issued from a used code. Always raises ``InvalidGrant``."""
    if revoke_family(token_request.family, token_request.now):
        token_request.recorded_as = AuditEvent.Action.CODE_REPLAYED
    token_request.fail(InvalidGrant(_WRONG), cause="code_spent")


def check_pkce(token_request: TokenRequest, grant: Grant) -> None:
    """Raise unless the code has a challenge and the request a verifier, or neither has.

    A verifier for a code without a challenge is a downgrade in progress (RFC 9700 section
    2.1.1), and so is a code without one for a key that must use PKCE by now. Raises
    ``InvalidRequest`` when the verifier is missing, else ``InvalidGrant``. Whether the
    verifier is the right one is ``server.CodeGrant`` and ``consume``.
    """
    verifier = token_request.client_request.get("code_verifier")
    if not grant.code_challenge:
        if verifier or is_pkce_required(token_request):
            token_request.fail(
                InvalidGrant("the code was issued without a code_challenge"),
                cause="challenge_missing",
            )
        return
    if not verifier:
        token_request.fail(
            InvalidRequest("required parameter 'code_verifier' is missing or blank"),
            cause="verifier_missing",
        )


def is_pkce_required(token_request: TokenRequest) -> bool:
    """Return whether the code cannot be redeemed without a verifier."""
    has_challenge = token_request.grant is not None and bool(
        token_request.grant.code_challenge
    )
    return has_challenge or not token_request.key.may_omit_pkce


def count_wrong_verifier(token_request: TokenRequest) -> None:
    """Count in the database, parallel guesses too; the last one invalidates the code."""
    assert token_request.grant is not None  # noqa: S101 -- set before a verifier is looked at
    unused = Grant.objects.filter(pk=token_request.grant.pk, redeemed_at__isnull=True)
    unused.update(failed_verifiers=F("failed_verifiers") + 1)
    last = unused.filter(failed_verifiers__gte=conf.wrong_verifiers_per_code)
    if last.update(redeemed_at=token_request.now):
        token_request.recorded_as = AuditEvent.Action.CODE_BURNED


def consume(token_request: TokenRequest) -> bool:
    """Redeem the code; ``False`` when another request did so first.

    Verifier and redirect address stand in the condition although oauthlib has compared
    them by now: nothing is issued without them, whatever a later version leaves out.
    """
    assert token_request.grant is not None  # noqa: S101 -- set before a verifier is looked at
    redeemable = Grant.objects.filter(
        pk=token_request.grant.pk,
        redeemed_at__isnull=True,
        code_challenge=_challenge_of(token_request.client_request.get("code_verifier")),
        redirect_uri=token_request.client_request.get("redirect_uri"),
    )
    return bool(redeemable.update(redeemed_at=token_request.now))


def _challenge_of(verifier: str) -> str:
    """Return the ``S256`` challenge of a verifier (RFC 7636 section 4.2), of none none."""
    if not verifier:
        return ""
    digest = hashlib.sha256(verifier.encode("utf-8", "surrogatepass")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
