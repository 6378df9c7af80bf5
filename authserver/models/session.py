"""Sessions, found by whose they are, so that they end with the account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

from authserver import vault

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase


class Session(AbstractBaseSession):
    """What a browser's cookie names; the key is the cookie's value and shown nowhere."""

    user_id = models.BigIntegerField(null=True, editable=False)
    """Who signed in with it, if anybody. No reference: a login may meet a deletion."""

    class Meta(AbstractBaseSession.Meta):
        indexes = [models.Index(fields=["user_id"], name="session_by_user")]

    def __str__(self) -> str:
        """Never the key: whoever reads it is signed in."""
        return f"Session {vault.digest(self.session_key)[:12]}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the engine; ``get_decoded`` asks for it."""
        from authserver.sessions import SessionStore  # noqa: PLC0415 -- which imports this

        return SessionStore
