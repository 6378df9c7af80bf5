"""The scope parameter and its tokens.

Pure; the rules are decisions 3.5. A token is a service's code, or reserved:
``refresh_token`` asks for a refresh token, ``context:{registryID}`` chooses the
institution, and beside ``openid`` the scopes of OpenID Connect ask who the user is.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from authserver.models import (
    CONTEXT_SCOPE_PREFIX,
    IDENTITY_SCOPES,
    OPENID_SCOPE,
    REFRESH_TOKEN_SCOPE,
)

MAX_TOKENS = 100
MAX_LENGTH = 20_000
# RFC 6749 section 3.3, with runs of spaces as one.
_SCOPE = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]*")


class ScopeUnreadable(Exception):
    """The scope is outside RFC 6749's grammar (TAB is), or endless; says which."""


@dataclass(frozen=True, slots=True)
class Scopes:
    """Scope tokens in request order, each once."""

    tokens: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a scope parameter. Raises ``ScopeUnreadable``."""
        if len(text) > MAX_LENGTH:
            raise ScopeUnreadable(f"scope has more than {MAX_LENGTH:,} characters")
        tokens = tuple(dict.fromkeys(filter(None, text.split(" "))))
        if not _SCOPE.fullmatch(text):
            raise ScopeUnreadable("scope is a list of names with spaces between them")
        if len(tokens) > MAX_TOKENS:
            raise ScopeUnreadable(f"scope has more than {MAX_TOKENS} names")
        return cls(tokens)

    def __str__(self) -> str:
        """Write the tokens as a parameter."""
        return " ".join(self.tokens)

    @property
    def services(self) -> tuple[str, ...]:
        """The tokens that ask for a service."""
        identity = self.identity
        return tuple(
            token
            for token in self.tokens
            if not is_reserved(token) and token not in identity
        )

    @property
    def identity(self) -> tuple[str, ...]:
        """The tokens that ask who the user is; without ``openid`` none has that meaning."""
        if OPENID_SCOPE not in self.tokens:
            return ()
        return tuple(token for token in self.tokens if token in IDENTITY_SCOPES)

    @property
    def wants_refresh_token(self) -> bool:
        return REFRESH_TOKEN_SCOPE in self.tokens

    @property
    def contexts(self) -> tuple[str, ...]:
        """The registry identifiers that ``context:`` names."""
        return tuple(
            token.removeprefix(CONTEXT_SCOPE_PREFIX)
            for token in self.tokens
            if token.startswith(CONTEXT_SCOPE_PREFIX)
        )

    def narrowed_to(self, granted: Collection[str]) -> Self:
        """Return the tokens that were granted; ``context:`` grants nothing and stays."""
        return type(self)(
            tuple(
                token
                for token in self.tokens
                if token in granted or token.startswith(CONTEXT_SCOPE_PREFIX)
            )
        )


def is_reserved(token: str) -> bool:
    """Return whether the token asks for something else than a service."""
    return token == REFRESH_TOKEN_SCOPE or token.startswith(CONTEXT_SCOPE_PREFIX)
