"""The institution and the user that a request asserts, and the credentials that follow.

``contextInstitutionId`` comes in the query; ``principalID`` and ``principalIDNS`` in the
header or in the query (decisions 5). What cannot be believed is noted, not refused: the
service is asked first, and that is the business of ``permissions.py``.
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs

from rest_framework.request import Request

from platform_errors.credentials import AccessToken, Credentials, Principal, ServiceKey
from platform_errors.errors import writes
from platform_errors.http import urlencoded
from platform_errors.keys import KeyLookup

MAX_LENGTH = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class AssertedIdentity:
    """The institution and the user that a request names; both may be empty."""

    institutions: frozenset[str] = frozenset()
    principal_id: str = ""
    principal_namespace: str = ""
    is_ambiguous: bool = False
    """Half a pair, or header and query that differ; then the pair is empty."""

    @property
    def institution(self) -> str:
        """The institution, if one is named. Raises ``InvalidParameters`` for several."""
        if len(self.institutions) > 1:
            raise writes.InvalidParameters({"contextInstitutionId": "is repeated"})
        return next(iter(self.institutions), "")

    @property
    def names_a_user(self) -> bool:
        """Whether a user was asserted, well or badly."""
        return self.is_ambiguous or bool(self.principal_id)


def read(request: Request, header_id: str, header_namespace: str) -> AssertedIdentity:
    """Collect what header and query assert."""
    query = request.META.get("QUERY_STRING", "")
    values = (
        parse_qs(urlencoded.query_bytes(query).decode(errors="replace")) if query else {}
    )
    institutions = frozenset(values.get("contextInstitutionId", ()))
    identifiers = set(values.get("principalID", ()))
    namespaces = set(values.get("principalIDNS", ()))
    pair = (next(iter(identifiers), ""), next(iter(namespaces), ""))
    asserted = {(header_id, header_namespace), pair} - {("", "")}
    if not asserted:
        return AssertedIdentity(institutions)
    is_repeated = len(identifiers) > 1 or len(namespaces) > 1
    if is_repeated or len(asserted) > 1 or not _is_usable(*asserted):
        return AssertedIdentity(institutions, is_ambiguous=True)
    return AssertedIdentity(institutions, *asserted.pop())


def _is_usable(pair: tuple[str, str]) -> bool:
    """Return whether a pair is whole, and fit for a database."""
    return all(0 < len(part) <= MAX_LENGTH and not _CONTROL.search(part) for part in pair)


def signed_credentials(lookup: KeyLookup, asserted: AssertedIdentity) -> Credentials:
    """Return the credentials of a verified signed request.

    Raises ``InvalidParameters`` when the query names two institutions.
    """
    key = lookup.key
    requested = asserted.institution
    institution: str | None = requested or None
    if institution is None and len(key.institutions) == 1:
        (institution,) = key.institutions
    if institution not in key.institutions:
        institution = None
    principal = _acting(lookup.principal, key, institution)
    return Credentials(
        scheme="hmac",
        key=key,
        institution=institution,
        principal=principal,
        requested_institution=requested,
        is_user_invalid=asserted.names_a_user and principal is None,
    )


def token_credentials(token: AccessToken, asserted: AssertedIdentity) -> Credentials:
    """Return the credentials of a live token; a asserted user must be the token's own.

    Raises ``InvalidParameters`` when the query names two institutions.
    """
    key = token.key
    institution = token.institution if token.institution in key.institutions else None
    principal = _acting(token.principal, key, institution)
    own = (
        ("", "")
        if token.principal is None
        else (token.principal.identifier, token.principal.namespace)
    )
    is_another = asserted.names_a_user and own != (
        asserted.principal_id,
        asserted.principal_namespace,
    )
    return Credentials(
        scheme="bearer",
        key=key,
        institution=institution,
        principal=None if is_another else principal,
        scopes=token.scopes,
        requested_institution=asserted.institution or token.institution,
        is_user_invalid=is_another or (token.principal is not None and principal is None),
    )


def _acting(
    principal: Principal | None, key: ServiceKey, institution: str | None
) -> Principal | None:
    """Return the principal if it may act: active, and of the request's institution."""
    if principal is None or not principal.is_active:
        return None
    # A read by a wide key that names no institution is of no institution in particular.
    allowed = key.institutions if institution is None else {institution}
    return principal if principal.institution in allowed else None
