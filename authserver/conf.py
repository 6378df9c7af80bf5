"""The app's settings and their defaults."""

from datetime import timedelta
from typing import Any

from platform_errors.conf import Conf, Setting, texts


def seconds(value: Any) -> timedelta:
    """Read a number of seconds."""
    return timedelta(seconds=int(value))


def hours(value: Any) -> timedelta:
    """Read a number of hours."""
    return timedelta(hours=int(value))


def days(value: Any) -> timedelta:
    """Read a number of days."""
    return timedelta(days=int(value))


class AuthserverConf(Conf):
    """``settings.AUTHSERVER`` over its defaults."""

    dictionary = "AUTHSERVER"

    issuer = Setting("", str)
    """The issuer identifier (RFC 8414, RFC 9207)."""
    encryption_keys = Setting((), texts)
    """Fernet keys: the first encrypts the secrets of service keys, all decrypt."""
    principal_ns_prefix = Setting("urn:platform:", str)
    """What precedes the registry identifier in a principal's namespace."""
    access_token_lifetime = Setting(1200, seconds, name="ACCESS_TOKEN_SECONDS")
    """How long an access token works (spec 8)."""
    code_lifetime = Setting(60, seconds, name="CODE_SECONDS")
    """How long an authorization code can be redeemed."""
    refresh_token_lifetime = Setting(7 * 24 * 3600, seconds, name="REFRESH_TOKEN_SECONDS")
    """The absolute lifetime of a family of refresh tokens."""
    pending_request_lifetime = Setting(600, seconds, name="PENDING_REQUEST_SECONDS")
    """How long the user may take between the authorization request and the grant."""
    consent_lifetime = Setting(90, days, name="CONSENT_DAYS")
    """How long a consent is remembered."""
    audit_lifetime = Setting(400, days, name="AUDIT_DAYS")
    """How long audit events are kept; zero keeps them for ever."""
    key_use_seconds = Setting(60, int)
    """How often a process writes that a key is used; zero never."""
    key_refusals = Setting(20, int)
    """How many refused requests of a key are kept; zero for none."""
    key_refusal_lifetime = Setting(30, days, name="KEY_REFUSAL_DAYS")
    """How long a refused request of a key is kept."""
    secret_link_lifetime = Setting(24, hours, name="SECRET_LINK_HOURS")
    """How long a link shows the secret of a key."""
    wrong_verifiers_per_code = Setting(5, int)
    """How many wrong PKCE verifiers invalidate a code."""
    client_failures_per_address = Setting(20, int)
    """Failures of one key from one address within the window before the limit."""
    client_failure_window = Setting(15 * 60, seconds, name="CLIENT_FAILURE_WINDOW_SECONDS")
    """The window in which failures of a key are counted."""
    password_change_revokes_tokens = Setting(True, bool)
    """Whether a new password ends the account's codes and tokens, as its sessions."""
    session_idle_seconds = Setting(30 * 60, int)
    """How long a login survives without a request."""
    session_absolute_seconds = Setting(8 * 3600, int)
    """How long a login survives at all."""
    fresh_sign_in = Setting(15 * 60, seconds, name="FRESH_SIGN_IN_SECONDS")
    """How old a sign-in may be when keys, roles or factors are touched; zero: any."""
    platform_needs_second_factor = Setting(True, bool)
    """Whether superusers and accounts of no institution must have a second factor."""

    sends_mail = Setting(False, bool)
    """Whether mail can be sent; without it no page offers what needs it."""

    federation_networks = Setting((), texts)
    """Networks (CIDR) where identity providers may be although they are not public."""
    federation_seconds = Setting(5.0, float)
    """How long one request to an identity provider may take in all."""
    federation_at_once = Setting(3, int)
    """Requests to providers in this process; an institution has one less."""
    federation_max_bytes = Setting(1024 * 1024, int)
    """The largest answer of an identity provider that is read."""
    federation_trip = Setting(20 * 60, seconds, name="FEDERATION_TRIP_SECONDS")
    """How long people may take to sign in at their identity provider."""
    invitation_lifetime = Setting(7, days, name="INVITATION_DAYS")
    """How long an invitation connects an account with an identity provider."""

    roles = Setting({}, dict)
    """What each role lets people do, in words for the page where roles are given."""


conf = AuthserverConf()
