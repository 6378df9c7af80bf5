"""The key store that platform_errors asks (its port ``KeyStore``).

This runs before every signed and every bearer call, so each lookup is one statement of
plain SQL that brings key, services, institutions and user together, and makes no model
instances but the user. Services and institutions come as JSON, which SQLite and PostgreSQL
both aggregate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from django.db import connections, router

from authserver.crypto import encryption, opaque
from authserver.models import (
    AccessToken,
    AuditEvent,
    Institution,
    KeyInstitution,
    KeyService,
    RefusalCount,
    Service,
    ServiceKey,
    User,
)
from platform_errors import credentials
from platform_errors.keys import KeyLookup
from platform_errors.postgresql import prepared

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

# Everything a request may ask of its user, so that nothing is fetched later, in the order
# that ``User.from_db`` expects; the password hash stays where it is.
USER_COLUMNS = tuple(
    field.attname
    for field in User._meta.concrete_fields
    if field.attname not in {"password", "last_login", "created_at"}
)
_REDIRECTS_AT = 10
_CLAIMED_AT = 11
_USER_AT = 12  # columns of the key, then those of the user, then the user's institution

_KEY_COLUMNS = """
    k.id, k.client_id, k.name, k.status, k.expires_at, k.old_generation,
    k.encrypted_secret, k.encrypted_previous_secret,
    {services}, {institutions}, k.redirect_uris, k.claimed_https"""
_SERVICES = """(
    SELECT {array_of}({array}(s.code, s.name, ks.status, ks.expires_at))
    FROM {key_service} ks JOIN {service} s ON s.id = ks.service_id
    WHERE ks.key_id = k.id){text}"""
_INSTITUTIONS = """(
    SELECT {array_of}({array}(i.registry_id, i.id))
    FROM {key_institution} ki JOIN {institution} i ON i.id = ki.institution_id
    WHERE ki.key_id = k.id AND i.is_active){text}"""
_KEY_LOOKUP = """
    SELECT {columns} FROM {key} k
    LEFT JOIN {user} u
        ON u.principal_id = %s AND u.principal_namespace = %s
        AND u.principal_namespace <> ''
    LEFT JOIN {institution} ui ON ui.id = u.institution_id
    WHERE k.client_id = %s"""
_CLIENT_LOOKUP = """
    SELECT {columns}, f.refusals, f.since FROM {key} k
    LEFT JOIN {refusals} f
        ON f.client_id = k.client_id AND f.place = %s AND f.action = %s
    WHERE k.client_id = %s"""
_BEARER_LOOKUP = """
    SELECT {columns}, ti.registry_id, t.scope, t.expires FROM {token} t
    JOIN {key} k ON k.id = t.application_id
    JOIN {institution} ti ON ti.id = t.institution_id
    LEFT JOIN {user} u ON u.id = t.user_id
    LEFT JOIN {institution} ui ON ui.id = u.institution_id
    WHERE t.token_checksum = %s AND t.revoked_at IS NULL"""
_DIALECT = {
    "sqlite": {"array_of": "json_group_array", "array": "json_array", "text": ""},
    "postgresql": {"array_of": "json_agg", "array": "json_build_array", "text": "::text"},
}
_TABLES = {
    "key": ServiceKey._meta.db_table,
    "key_service": KeyService._meta.db_table,
    "key_institution": KeyInstitution._meta.db_table,
    "service": Service._meta.db_table,
    "institution": Institution._meta.db_table,
    "token": AccessToken._meta.db_table,
    "user": User._meta.db_table,
    "refusals": RefusalCount._meta.db_table,
}


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
        of the same key, whoever listens on the device would receive the code unasked.
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
        row = _fetch_key(client_id, principal_id, principal_namespace)
        if row is None:
            return None
        return KeyLookup(credentials.ServiceKey(**_key_fields(row)), _principal(row))

    def service_names(self, codes: Collection[str]) -> dict[str, str]:
        """Return code → name of the services that exist."""
        known = Service.objects.filter(code__in=codes)
        return dict(known.values_list("code", "name"))

    def find_token(self, token: str) -> credentials.AccessToken | None:
        """Return the token that was not revoked, with everything it depends on."""
        row = _fetch_row(_token_statement, [opaque.digest(token)])
        if row is None:
            return None
        registry_id, scope, expires = row[-3:]
        return credentials.AccessToken(
            key=credentials.ServiceKey(**_key_fields(row, with_secrets=False)),
            institution=registry_id,
            scopes=frozenset(scope.split()),
            expires_at=prepared.as_moment(expires),
            principal=_principal(row),
        )


def find_client(client_id: str, place: str = "") -> Client | None:
    """Return the key as the authorization server itself needs it, in one query.

    ``place`` is where the caller is counted (``address_ident``): the key comes with its
    failures from there.
    """
    if not is_storable(client_id):
        return None
    failed = AuditEvent.Action.CLIENT_REFUSED.value
    row = _fetch_row(_client_statement, [place, failed, client_id])
    if row is None:
        return None
    failures, failing_since = row[-2:]
    return Client(
        pk=row[0],
        name=row[2],
        **_key_fields(row),
        redirect_addresses=row[_REDIRECTS_AT].split(),
        claimed_https=bool(row[_CLAIMED_AT]),
        institution_pks=dict(_json(row[9])),
        failures=failures or 0,
        failing_since=prepared.as_moment(failing_since),
    )


def is_storable(text: str) -> bool:
    """Return whether a database could hold the text at all (no NUL, no lone surrogate)."""
    return "\x00" not in text and text.isprintable()


def _fetch_key(client_id: str, principal_id: str, namespace: str) -> Sequence[Any] | None:
    if not is_storable(client_id):
        return None
    if not (is_storable(principal_id) and is_storable(namespace)):
        principal_id = namespace = ""  # nobody: an empty identifier is no principal
    return _fetch_row(_key_statement, [principal_id, namespace, client_id])


def _fetch_row(statement: Any, parameters: list[str]) -> Sequence[Any] | None:
    connection = connections[router.db_for_read(ServiceKey)]
    rows = prepared.read_rows(connection, statement(connection.vendor), parameters)
    return rows[0] if rows else None


def _key_columns(vendor: str) -> str:
    words = _TABLES | _DIALECT[vendor]
    return _KEY_COLUMNS.format(
        services=_SERVICES.format_map(words), institutions=_INSTITUTIONS.format_map(words)
    )


def _columns(vendor: str) -> str:
    user = ", ".join(f"u.{name}" for name in USER_COLUMNS)
    return f"{_key_columns(vendor)}, {user}, ui.registry_id"


@lru_cache
def _key_statement(vendor: str) -> str:
    return _KEY_LOOKUP.format(columns=_columns(vendor), **_TABLES)


@lru_cache
def _client_statement(vendor: str) -> str:
    return _CLIENT_LOOKUP.format(columns=_key_columns(vendor), **_TABLES)


@lru_cache
def _token_statement(vendor: str) -> str:
    return _BEARER_LOOKUP.format(columns=_columns(vendor), **_TABLES)


def _key_fields(row: Sequence[Any], *, with_secrets: bool = True) -> dict[str, Any]:
    stored = row[6:8] if with_secrets else ()
    return {
        "client_id": row[1],
        "status": row[3],
        "expires_at": prepared.as_moment(row[4]),
        "secrets": tuple(encryption.decrypt(text) for text in stored if text),
        "services": {
            code: credentials.Service(
                code=code,
                name=name,
                status=status,
                expires_at=prepared.as_moment(expires_at),
            )
            for code, name, status, expires_at in _json(row[8])
        },
        "institutions": frozenset(registry_id for registry_id, _ in _json(row[9])),
        "old_generation": bool(row[5]),
    }


def _principal(row: Sequence[Any]) -> credentials.Principal | None:
    values = row[_USER_AT : _USER_AT + len(USER_COLUMNS)]
    if values[0] is None:  # the primary key: nobody was joined
        return None
    user = User.from_db(router.db_for_read(User), USER_COLUMNS, values)
    return credentials.Principal(
        identifier=user.principal_id,
        namespace=user.principal_namespace,
        institution=row[_USER_AT + len(USER_COLUMNS)] or "",
        user=user,
        is_active=bool(user.is_active),
    )


def _json(text: str | None) -> Any:
    return orjson.loads(text) if text else []
