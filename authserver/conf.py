"""The app's settings as typed properties, read per call so that overrides hold."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    "ISSUER": "",
    "ENCRYPTION_KEYS": (),
    "PRINCIPAL_NS_PREFIX": "urn:platform:",
    "ACCESS_TOKEN_SECONDS": 1200,
    "CODE_SECONDS": 60,
    "REFRESH_TOKEN_SECONDS": 7 * 24 * 3600,
    "PENDING_REQUEST_SECONDS": 600,
    "CONSENT_DAYS": 90,
    "AUDIT_DAYS": 400,
    "WRONG_VERIFIERS_PER_CODE": 5,
    "CLIENT_FAILURES_PER_ADDRESS": 20,
    "CLIENT_FAILURE_WINDOW_SECONDS": 15 * 60,
    "PASSWORD_CHANGE_REVOKES_TOKENS": True,
    "SESSION_IDLE_SECONDS": 30 * 60,
    "SESSION_ABSOLUTE_SECONDS": 8 * 3600,
    "LOGIN_FAILURES_PER_ACCOUNT": 10,
    "LOGIN_FAILURES_PER_ADDRESS": 100,
    "LOGIN_WINDOW_SECONDS": 15 * 60,
    "LOGIN_BACKOFF_MIN_SECONDS": 30,
    "LOGIN_BACKOFF_MAX_SECONDS": 15 * 60,
    "LOGIN_DEVICE_DAYS": 90,
}


class Conf:
    """``settings.AUTHSERVER`` over its defaults."""

    def _get(self, name: str) -> Any:
        return getattr(settings, "AUTHSERVER", {}).get(name, DEFAULTS[name])

    def _seconds(self, name: str) -> timedelta:
        return timedelta(seconds=int(self._get(name)))

    @property
    def issuer(self) -> str:
        """The issuer identifier (RFC 8414, RFC 9207)."""
        return str(self._get("ISSUER"))

    @property
    def encryption_keys(self) -> tuple[str, ...]:
        """Fernet keys: the first encrypts the secrets of service keys, all decrypt."""
        return tuple(self._get("ENCRYPTION_KEYS"))

    @property
    def principal_ns_prefix(self) -> str:
        """What precedes the registry identifier in a principal's namespace."""
        return str(self._get("PRINCIPAL_NS_PREFIX"))

    @property
    def access_token_lifetime(self) -> timedelta:
        """How long an access token works (spec 8)."""
        return self._seconds("ACCESS_TOKEN_SECONDS")

    @property
    def code_lifetime(self) -> timedelta:
        """How long an authorization code can be redeemed."""
        return self._seconds("CODE_SECONDS")

    @property
    def refresh_token_lifetime(self) -> timedelta:
        """The absolute lifetime of a family of refresh tokens."""
        return self._seconds("REFRESH_TOKEN_SECONDS")

    @property
    def pending_request_lifetime(self) -> timedelta:
        """How long the user may take between the authorization request and the grant."""
        return self._seconds("PENDING_REQUEST_SECONDS")

    @property
    def consent_lifetime(self) -> timedelta:
        """How long a consent is remembered."""
        return timedelta(days=int(self._get("CONSENT_DAYS")))

    @property
    def audit_lifetime(self) -> timedelta:
        """How long audit events are kept; zero keeps them for ever."""
        return timedelta(days=int(self._get("AUDIT_DAYS")))

    @property
    def wrong_verifiers_per_code(self) -> int:
        """How many wrong PKCE verifiers burn a code."""
        return int(self._get("WRONG_VERIFIERS_PER_CODE"))

    @property
    def client_failures_per_address(self) -> int:
        """Failures of one key from one address within the window before the limit."""
        return int(self._get("CLIENT_FAILURES_PER_ADDRESS"))

    @property
    def client_failure_window(self) -> timedelta:
        """The window in which failures of a key are counted."""
        return self._seconds("CLIENT_FAILURE_WINDOW_SECONDS")

    @property
    def password_change_revokes_tokens(self) -> bool:
        """Whether a new password ends the account's codes and tokens, as its sessions."""
        return bool(self._get("PASSWORD_CHANGE_REVOKES_TOKENS"))

    @property
    def session_idle_seconds(self) -> int:
        """How long a login survives without a request."""
        return int(self._get("SESSION_IDLE_SECONDS"))

    @property
    def session_absolute_seconds(self) -> int:
        """How long a login survives at all."""
        return int(self._get("SESSION_ABSOLUTE_SECONDS"))

    @property
    def login_failures_per_account(self) -> int:
        """Failures of one (institution, username) within the window before the lock."""
        return int(self._get("LOGIN_FAILURES_PER_ACCOUNT"))

    @property
    def login_failures_per_address(self) -> int:
        """Failures from one address within the window before the lock."""
        return int(self._get("LOGIN_FAILURES_PER_ADDRESS"))

    @property
    def login_window_seconds(self) -> int:
        """The window in which login failures are counted."""
        return int(self._get("LOGIN_WINDOW_SECONDS"))

    @property
    def login_backoff_min_seconds(self) -> int:
        """The first Retry-After of a locked account or address."""
        return int(self._get("LOGIN_BACKOFF_MIN_SECONDS"))

    @property
    def login_backoff_max_seconds(self) -> int:
        """The longest Retry-After of a locked account or address."""
        return int(self._get("LOGIN_BACKOFF_MAX_SECONDS"))

    @property
    def login_device_lifetime(self) -> timedelta:
        """How long a browser that has signed in to an account passes an address lock."""
        return timedelta(days=int(self._get("LOGIN_DEVICE_DAYS")))


conf = Conf()
