"""The port to the store of service keys, principals and tokens.

``platform_errors`` owns no accounts. The adapter is named by the setting
``PLATFORM_ERRORS["KEY_STORE"]``, a dotted path to a class without constructor arguments.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from django.utils.module_loading import import_string

from platform_errors.conf import conf
from platform_errors.credentials import AccessToken, Principal, ServiceKey


class SecretUnreadable(Exception):
    """The store holds the key's secret in a form that it cannot open any more."""


class KeyLookup(NamedTuple):
    """A key and, when one was asked for and exists, the principal."""

    key: ServiceKey
    principal: Principal | None


class KeyStore(Protocol):
    """Where service keys, principals and access tokens are looked up."""

    def find_key(
        self, client_id: str, *, principal_id: str = "", principal_namespace: str = ""
    ) -> KeyLookup | None:
        """Return the key with its services, institutions and the principal, in one query.

        A principal that is unknown is ``None``; a disabled one is returned with
        ``is_active=False``. ``None`` when no key has this identifier. Raises
        ``SecretUnreadable`` when the secret was encrypted with a key that is gone.
        """
        ...

    def find_token(self, token: str) -> AccessToken | None:
        """Return the token with its key, services, institutions and user, in one query.

        Expired tokens are returned (the caller tells expired from invalid); revoked and
        unknown ones are ``None``.
        """
        ...

    def service_names(self, codes: Collection[str]) -> Mapping[str, str]:
        """Return code → name of those services that exist at all, on the key or not.

        Only asked to word an error (spec 7.2), so it may cost a query.
        """
        ...


def get_key_store() -> KeyStore:
    """Return the configured adapter, resolved per call so that settings overrides hold."""
    store: KeyStore = import_string(conf.key_store)()
    return store
