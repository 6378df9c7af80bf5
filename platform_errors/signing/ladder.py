"""What a signed request must pass, rung by rung (decisions 5).

Each rung asks one question and raises the error of spec 7.1; it needs the rungs before it.
``authentication.py`` climbs them all, ``admin.dry_run`` says which one gives way.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rest_framework.request import Request

from platform_errors.conf import conf
from platform_errors.credentials import Credentials, ServiceKey
from platform_errors.errors import catalogue
from platform_errors.errors.log import state_key
from platform_errors.http import urlencoded
from platform_errors.keys import KeyLookup, get_key_store
from platform_errors.logging.redaction import redact
from platform_errors.signing import algorithm, asserted_identity, canonicalization
from platform_errors.signing.asserted_identity import AssertedIdentity
from platform_errors.signing.nonces import KEEP_SECONDS, claim_nonce

_TIMESTAMP = re.compile(r"[0-9]{1,12}")


@dataclass(slots=True)
class SignedAttempt:
    """A signed request on its way up; every rung leaves what the next one needs."""

    request: Request
    rest: str
    """What follows the scheme in the ``Authorization`` header."""
    now: float
    """Unix seconds."""
    header: algorithm.SignedHeader = field(init=False)
    asserted: AssertedIdentity = field(init=False)
    lookup: KeyLookup = field(init=False)
    timestamp: int = field(init=False)

    def read_header(self) -> None:
        """Read what the header states. Raises ``SignatureInvalid``."""
        try:
            self.header = algorithm.parse_header(self.rest)
        except algorithm.HeaderMalformed as error:
            raise catalogue.SignatureInvalid(
                str(error), signature=error.signature
            ) from None
        state_key(self.request, self.header.client_id)

    def find_key(self) -> None:
        """Look the key up, and the user that is asserted. Raises ``KeyInvalid``."""
        header = self.header
        self.asserted = asserted_identity.read(
            self.request, header.principal_id, header.principal_namespace
        )
        lookup = get_key_store().find_key(
            header.client_id,
            principal_id=self.asserted.principal_id,
            principal_namespace=self.asserted.principal_namespace,
        )
        if lookup is None:
            raise catalogue.KeyInvalid(key=header.client_id)
        self.lookup = lookup

    def require_active_key(self) -> None:
        """Raise ``KeyCanceled`` or ``KeyExpired`` unless the key works."""
        require_active_key(self.lookup.key, datetime.fromtimestamp(self.now, UTC))

    def check_signature(self) -> None:
        """Compare. Raises ``SignatureInvalid``, or ``MalformedRequest`` for the query."""
        header, signed, target = self.header, self.signed_request, signature_target()
        try:
            valid = algorithm.is_valid(
                header,
                request=signed,
                target=target,
                secrets=self.lookup.key.secrets,
                old_generation=self.lookup.key.old_generation,
            )
        except canonicalization.QueryMalformed as error:
            # A query that cannot be decoded is a bad request, not a bad signature.
            raise catalogue.MalformedRequest(str(error)) from None
        if not valid:
            raise catalogue.SignatureInvalid(
                signature=header.signature, **_evidence(header, signed, target)
            )

    def check_clock(self) -> None:
        """Raise ``TimestampInvalid`` unless it is a time near the server's clock."""
        stated, now = self.stated_time, int(self.now)
        if stated is None or abs(stated - now) > conf.max_clock_skew_seconds:
            raise catalogue.TimestampInvalid(
                timestamp=self.header.timestamp, current_time=now
            )
        self.timestamp = stated

    def claim_nonce(self) -> None:
        """Use the nonce up. Raises ``NonceReplayed``.

        Last: a forged or stale request must not use up a genuine client's.
        """
        if not claim_nonce(
            client_id=self.lookup.key.client_id,
            timestamp=self.timestamp,
            nonce=self.header.nonce,
            oldest=int(self.now) - KEEP_SECONDS,
        ):
            raise catalogue.NonceReplayed

    def credentials(self) -> Credentials:
        """Return what was proved. Raises ``InvalidParameters`` for two institutions."""
        return asserted_identity.signed_credentials(self.lookup, self.asserted)

    @property
    def stated_time(self) -> int | None:
        """The timestamp of the header in Unix seconds, or ``None`` if not a number."""
        text = self.header.timestamp
        return int(text) if _TIMESTAMP.fullmatch(text) else None

    @property
    def signed_request(self) -> algorithm.SignedRequest:
        """What the signature covers, as it came."""
        query = urlencoded.query_bytes(self.request.META.get("QUERY_STRING", ""))
        return algorithm.SignedRequest(self.request.method or "", query)


LADDER: dict[str, Callable[[SignedAttempt], None]] = {
    "header": SignedAttempt.read_header,
    "key": SignedAttempt.find_key,
    "status": SignedAttempt.require_active_key,
    "signature": SignedAttempt.check_signature,
    "clock": SignedAttempt.check_clock,
    "nonce": SignedAttempt.claim_nonce,
}


def signature_target() -> algorithm.SignatureTarget:
    """Return what is signed instead of the real host, port and path."""
    return algorithm.signature_target(conf.hmac_signature_url)


def require_active_key(key: ServiceKey, now: datetime) -> None:
    """Raise ``KeyCanceled`` or ``KeyExpired`` unless the key works (spec 7.1)."""
    status = key.status_at(now)
    if status == "canceled":
        raise catalogue.KeyCanceled
    if status == "expired":
        raise catalogue.KeyExpired


def _evidence(
    header: algorithm.SignedHeader,
    request: algorithm.SignedRequest,
    target: algorithm.SignatureTarget,
) -> dict[str, str]:
    """Return the lines that were signed, without what opens a door (a code, a password)."""
    method, lines = request.method, canonicalization.canonical_query(request.query)
    try:
        canonical = algorithm.canonical_request(
            method=method, target=target, query_lines=lines
        )
        text = algorithm.string_to_sign(
            header, method=method, target=target, query_lines=lines
        ).decode()
    except ValueError:  # not an HTTP method: there are no lines
        return {}
    return {"canonical_request": redact(canonical), "string_to_sign": redact(text)}
