"""Sessions, found by whose they are, so that they end with the account."""

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import Exact
from django.utils.module_loading import import_string


class Session(AbstractBaseSession):
    """What a browser's cookie names, stored under the digest of the cookie's value.

    So whoever reads a copy of the table is signed in nowhere.
    """

    session_key = models.CharField(max_length=64, primary_key=True)
    """SHA-256 of the key, which the browser alone holds."""
    user_id = models.BigIntegerField(null=True, editable=False)
    """Who signed in with it, or is about to. No reference: a login may meet a deletion."""

    class Meta(AbstractBaseSession.Meta):
        constraints = [
            # A key itself has 32 characters: no code path can store one by mistake.
            models.CheckConstraint(
                condition=Exact(Length("session_key"), 64), name="session_key_is_a_digest"
            ),
        ]
        indexes = [models.Index(fields=["user_id"], name="session_by_user")]

    def __str__(self) -> str:
        """Return enough of the digest to tell sessions apart."""
        return f"Session {self.session_key[:12]}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the engine that the settings name; ``get_decoded`` asks for it."""
        store: type[SessionBase] = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
        return store
