"""The key store that platform_errors asks (its port ``KeyStore``).

It answers before every signed and every bearer call, from one statement (``lookups``), and
makes no model instances but the user.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import router

from authserver.crypto import encryption, opaque
from authserver.keys import lookups
from authserver.models import AuditEvent, Service, User
from platform_errors import credentials
from platform_errors.keys import KeyLookup


@dataclass(frozen=True, slots=True, kw_only=True)
class Client(credentials.ServiceKey):
    """The edge's service key, with what only the authorization server asks of it.

    The primary keys are for its writes.
    """

    pk: int
    name: str
    redirect_addresses: list[str]
    claimed_https: bool
    institution_pks: Mapping[str, int]
    """Of the active institutions on the key, by registry identifier."""
    failures: int = 0
    """How often client authentication failed, from where it was tried now, …"""
    failing_since: datetime | None = None
    """… since the window of these failures began."""

    @property
    def has_secret(self) -> bool:
        """Whether the key can authenticate, and therefore must."""
        return bool(self.secrets)

    @property
    def may_omit_pkce(self) -> bool:
        """Whether the key is of the old generation and proves itself otherwise."""
        return self.old_generation and self.has_secret

    def remembers_consent(self, redirect_uri: str) -> bool:
        """Whether a consent may be remembered: nobody else can pose as the application.

        Only an https address can be claimed (RFC 8252 section 7.2); at any other address
        of the same key, another application on the device could receive the code.
        """
        is_claimed = self.claimed_https and redirect_uri.startswith("https://")
        return self.has_secret or is_claimed


class ServiceKeyStore:
    """Looks up service keys, principals and access tokens, each in one round trip."""

    def find_key(
        self, client_id: str, *, principal_id: str = "", principal_namespace: str = ""
    ) -> KeyLookup | None:
        """Return the key and, when one was asked for and exists, the principal.

        Raises ``SecretUnreadable`` when the key's secret was encrypted with a key that is
        no longer configured.
        """
        if not is_storable(client_id):
            return None
        if not (is_storable(principal_id) and is_storable(principal_namespace)):
            principal_id = principal_namespace = ""  # an empty identifier is no principal
        row = lookups.KEY.first([principal_id, principal_namespace, client_id])
        if row is None:
            return None
        return KeyLookup(credentials.ServiceKey(**_key_fields(row)), _principal(row))

    def service_names(self, codes: Collection[str]) -> dict[str, str]:
        """Return code → name of the services that exist."""
        known = Service.objects.filter(code__in=codes)
        return dict(known.values_list("code", "name"))

    def find_token(self, token: str) -> credentials.AccessToken | None:
        """Return the token that was not revoked, with everything it depends on."""
        row = lookups.TOKEN.first([opaque.digest(token)])
        if row is None:
            return None
        return credentials.AccessToken(
            key=credentials.ServiceKey(**_key_fields(row, with_secrets=False)),
            institution=row["ti.registry_id"],
            scopes=frozenset(row["t.scope"].split()),
            expires_at=row["t.expires"],
            principal=_principal(row),
        )


def find_client(client_id: str, throttle_key: str = "") -> Client | None:
    """Return the key as the authorization server itself needs it, in one query.

    The key comes with the failed authentications that are counted under ``throttle_key``.
    """
    if not is_storable(client_id):
        return None
    failed = AuditEvent.Action.CLIENT_REFUSED.value
    row = lookups.CLIENT.first([throttle_key, failed, client_id])
    if row is None:
        return None
    return Client(
        pk=row["k.id"],
        name=row["k.name"],
        **_key_fields(row),
        redirect_addresses=row["k.redirect_uris"].split(),
        claimed_https=row["k.claimed_https"],
        institution_pks=dict(row["institutions"]),
        failures=row["f.refusals"] or 0,
        failing_since=row["f.since"],
    )


def is_storable(text: str) -> bool:
    """Return whether a database could hold the text at all (no NUL, no lone surrogate)."""
    return "\x00" not in text and text.isprintable()


def _key_fields(row: Mapping[str, Any], *, with_secrets: bool = True) -> dict[str, Any]:
    stored = (
        (row["k.encrypted_secret"], row["k.encrypted_previous_secret"])
        if with_secrets
        else ()
    )
    return {
        "client_id": row["k.client_id"],
        "status": row["k.status"],
        "expires_at": row["k.expires_at"],
        "secrets": tuple(encryption.decrypt(text) for text in stored if text),
        "services": {
            code: credentials.Service(
                code=code, name=name, status=status, expires_at=_moment(expires_at)
            )
            for code, name, status, expires_at in row["services"]
        },
        "institutions": frozenset(registry_id for registry_id, _ in row["institutions"]),
        "old_generation": row["k.old_generation"],
    }


def _moment(text: str | None) -> datetime | None:
    """Read a moment within JSON, which SQLite writes without a zone."""
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _principal(row: Mapping[str, Any]) -> credentials.Principal | None:
    if row["u.id"] is None:  # nobody was joined
        return None
    values = {field.attname: row[f"u.{field.name}"] for field in lookups.USER_FIELDS}
    user = User.from_db(router.db_for_read(User), values, values.values())
    return credentials.Principal(
        identifier=user.principal_id,
        namespace=user.principal_namespace,
        institution=row["ui.registry_id"] or "",
        user=user,
        is_active=user.is_active,
    )
