"""Keys, principals and tokens, valid by default; what varies is passed in."""

from datetime import UTC, datetime, timedelta

from platform_errors.credentials import AccessToken, Principal, Service, ServiceKey
from platform_errors.tests.store import Account, MemoryKeyStore

INSTITUTION = "1001"
OTHER_INSTITUTION = "1002"
SERVICE = "probe"
PERMISSION = "probe.change_thing"
PRINCIPAL_ID = "00000000-0000-4000-8000-000000000001"
NAMESPACE = f"urn:platform:{INSTITUTION}"
SECRET = "a-secret"
SECRET_BYTES = SECRET.encode()
TOKEN = "tk_0123456789abcdefghijklmnopqrstuvwxyz"


def past() -> datetime:
    return datetime.now(UTC) - timedelta(seconds=1)


def future() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


def make_service(code=SERVICE, name="Probe Service", status="active", expires_at=None):
    return Service(code=code, name=name, status=status, expires_at=expires_at)


def make_key(client_id="key", services=None, secrets=(SECRET_BYTES,), **fields):
    """A key with one live service and one institution."""
    services = [make_service()] if services is None else services
    fields = {"status": "active", "institutions": frozenset({INSTITUTION}), **fields}
    key = ServiceKey(
        client_id=client_id,
        secrets=secrets,
        services={service.code: service for service in services},
        **fields,
    )
    MemoryKeyStore.keys[client_id] = key
    return key


def make_wide_key(client_id="wide", **fields):
    """A key that may act for two institutions."""
    institutions = frozenset({INSTITUTION, OTHER_INSTITUTION})
    return make_key(client_id, institutions=institutions, **fields)


def make_principal(
    identifier=PRINCIPAL_ID,
    institution=INSTITUTION,
    *,
    is_active=True,
    permissions=frozenset(),
):
    principal = Principal(
        identifier=identifier,
        namespace=f"urn:platform:{institution}",
        institution=institution,
        user=Account(identifier, frozenset(permissions)),
        is_active=is_active,
    )
    MemoryKeyStore.principals[identifier, principal.namespace] = principal
    return principal


def make_token(text=TOKEN, key=None, principal=None, **fields):
    """A live token for the probe service at the first institution."""
    fields = {
        "institution": INSTITUTION,
        "scopes": frozenset({SERVICE}),
        "expires_at": future(),
        **fields,
    }
    token = AccessToken(key=key or make_key(), principal=principal, **fields)
    MemoryKeyStore.tokens[text] = token
    return token
