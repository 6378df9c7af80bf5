"""What one token request gathers on its way through oauthlib.

Kept beside oauthlib's own request and not on it: that object takes every parameter a client
sends as an attribute, so anything read from it could be injected by name.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NoReturn
from uuid import UUID

from django.http import HttpRequest

from authserver.keys.scopes import Scopes
from authserver.keys.store import Client
from authserver.models import AuditEvent, Grant, RefreshToken, User
from authserver.oauth.client_generation import PRESENT, Generation
from authserver.oauth.client_request import ClientRequest
from platform_errors.errors.base import ApiError


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """What goes to the client once, and is nowhere else in the clear."""

    access_token: str = field(repr=False)
    expires_at: datetime
    refresh_token: str = field(default="", repr=False)
    refresh_token_expires_at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class TokenRequest:
    """One request for tokens; filled step by step, in the order of the fields."""

    client_request: ClientRequest
    http_request: HttpRequest
    now: datetime
    generation: Generation = PRESENT

    grant_type: str = ""
    """The standard's name of what is exchanged, whatever the client calls it."""
    client: Client | None = None
    grant: Grant | None = None
    refresh_token: RefreshToken | None = None
    user: User | None = None
    registry_id: str = ""
    institution_pk: int = 0
    scopes: Scopes = field(default_factory=lambda: Scopes(()))

    issued: Issued | None = None

    recorded_as: AuditEvent.Action = AuditEvent.Action.TOKEN_REFUSED
    """What an error is recorded as."""
    cause: str = ""
    """Why, for the record alone: the client reads one message for many causes."""

    @property
    def key(self) -> Client:
        """The authenticated key; asked only after authentication."""
        assert self.client is not None  # noqa: S101 -- the order of oauthlib's steps
        return self.client

    def fail(self, error: ApiError, *, cause: str) -> NoReturn:
        """Raise the error that the client reads, and keep the cause for the record."""
        self.cause = cause
        raise error

    @property
    def family(self) -> UUID | None:
        """What revokes together: the grant and all that descends from it."""
        if self.grant is not None:
            return self.grant.token_family
        return self.refresh_token.token_family if self.refresh_token is not None else None
