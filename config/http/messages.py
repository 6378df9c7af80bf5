"""Where a message waits for the next page."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookieStorage(CookieStorage):
    """Django's cookie, under a name that no other host can set."""

    @property
    def cookie_name(self) -> str:  # type: ignore[override]
        """Follow the scheme, as the names of the other cookies do."""
        return "__Host-messages" if settings.SESSION_COOKIE_SECURE else "messages"


class MessageStorage(FallbackStorage):
    """Django's default with that cookie; what does not fit it waits in the session."""

    storage_classes = (HostCookieStorage, SessionStorage)
