"""A key store in memory: an honest implementation of the port, for tests of its callers."""

from dataclasses import dataclass
from typing import ClassVar

from platform_errors.credentials import AccessToken, Principal, ServiceKey
from platform_errors.keys import KeyLookup


@dataclass
class Account:
    """The part of a user's account that the edge relies on."""

    name: str
    permissions: frozenset[str] = frozenset()
    is_authenticated: bool = True

    def has_perm(self, permission: str) -> bool:
        return permission in self.permissions


class MemoryKeyStore:
    """Keeps what factories put into it; ``clear()`` between tests."""

    keys: ClassVar[dict[str, ServiceKey]] = {}
    principals: ClassVar[dict[tuple[str, str], Principal]] = {}
    tokens: ClassVar[dict[str, AccessToken]] = {}

    @classmethod
    def clear(cls) -> None:
        for shelf in (cls.keys, cls.principals, cls.tokens):
            shelf.clear()

    def find_key(
        self, client_id: str, *, principal_id: str = "", principal_namespace: str = ""
    ) -> KeyLookup | None:
        key = self.keys.get(client_id)
        if key is None:
            return None
        return KeyLookup(key, self.principals.get((principal_id, principal_namespace)))

    def service_names(self, codes):
        known = {
            service.code: service.name
            for key in self.keys.values()
            for service in key.services.values()
        }
        return {code: known[code] for code in codes if code in known}

    def find_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)
