"""System checks: what can be set wrongly is said at the start, not at the first request."""

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from allauth.core.internal import ratelimit
from cryptography.fernet import Fernet
from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004
from django.core.management import get_commands
from django.db import DatabaseError, router
from django.db.models import Model

from authserver.accounts import login_limits
from authserver.conf import conf
from authserver.crypto import encryption
from authserver.keys import reencryption
from authserver.models import ServiceKey
from platform_errors.keys import SecretUnreadable

SWAPPED = {
    "OAUTH2_PROVIDER_APPLICATION_MODEL": "authserver.ServiceKey",
    "OAUTH2_PROVIDER_GRANT_MODEL": "authserver.Grant",
    "OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL": "authserver.AccessToken",
    "OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL": "authserver.RefreshToken",
    "OAUTH2_PROVIDER_ID_TOKEN_MODEL": "authserver.IDToken",
}
CLASSES = {
    "OAUTH2_SERVER_CLASS": "authserver.oauth.server.Server",
    "OAUTH2_VALIDATOR_CLASS": "authserver.oauth.validator.Validator",
}
ALLAUTH = ("allauth", "allauth.account")
"""What nothing else misses at the start: its other apps and its middleware it asks for."""
ACCOUNTS = {
    "ACCOUNT_ADAPTER": "authserver.accounts.adapter.AccountAdapter",
    "ACCOUNT_USER_MODEL_USERNAME_FIELD": "login",
    "ACCOUNT_CHANGE_EMAIL": True,
    "ACCOUNT_UNIQUE_EMAIL": False,
    "ACCOUNT_FORMS": {"user_token": "authserver.accounts.password_links.LinkForm"},
    "MFA_ADAPTER": "authserver.accounts.adapter.FactorAdapter",
}
LIMIT_MIDDLEWARE = "authserver.middleware.LoginLimitMiddleware"
IMMEDIATE = "django_tasks.backends.immediate.ImmediateBackend"
MAX_CODE_SECONDS = 600  # RFC 6749 section 4.1.2


@register("authserver")
def check_settings(**_kwargs: Any) -> list[CheckMessage]:
    """Run every check of the app."""
    return [
        *_encryption_keys(),
        *_settings(),
        *_commands(),
        *_apps(),
        *_issuer(),
        *_lifetimes(),
        *_requests(),
        *_login_limits(),
        *_mail(),
    ]


@register(Tags.database)
def check_stored_secrets(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    """E010, W003: ``ENCRYPTION_KEYS`` open the newest and the oldest secret of each kind.

    Runs with ``check --database default``, and before ``migrate``.
    """
    found: list[CheckMessage] = []
    for model in reencryption.MODELS:
        if router.db_for_read(model) not in (databases or ()):
            continue
        try:
            newest, oldest = _ends(model)
        except DatabaseError:  # the table is not there yet
            continue
        if newest and not _is_readable(newest):
            message = f"ENCRYPTION_KEYS do not decrypt the secret of {_name(newest)}."
            hint = "Put back the key that it was encrypted with."
            found.append(Error(message, hint=hint, id="authserver.E010"))
        elif oldest and not _is_readable(oldest):
            message = f"ENCRYPTION_KEYS do not decrypt the secret of {_name(oldest)}."
            hint = "Put back the old key and run reencrypt_secrets."
            found.append(Warning(message, hint=hint, id="authserver.W003"))
    return found


def _ends(model: type[Model]) -> tuple[Model | None, Model | None]:
    """Return the newest and the oldest row with a secret, by columns that are not new."""
    is_key = model is ServiceKey
    rows = model._base_manager.exclude(encrypted_secret="").only(
        "encrypted_secret", *(["client_id"] if is_key else [])
    )
    ordered = rows.order_by("secret_created_at" if is_key else "pk")
    return ordered.last(), ordered.first()


def _is_readable(row: Model) -> bool:
    """Return whether the row's secret can be decrypted."""
    try:
        encryption.decrypt(row.encrypted_secret)  # type: ignore[attr-defined]
    except SecretUnreadable:
        return False
    return True


def _name(row: Model) -> str:
    """Return what an operator finds the row by."""
    if isinstance(row, ServiceKey):
        return row.client_id
    return f"{row._meta.verbose_name} {row.pk}"


def _encryption_keys() -> Iterator[CheckMessage]:
    """E001, E002: secrets of service keys need a Fernet key that works."""
    if not conf.encryption_keys:
        yield Error(
            "AUTHSERVER['ENCRYPTION_KEYS'] is empty: no secret can be stored or verified.",
            hint="Make one with cryptography.fernet.Fernet.generate_key().",
            id="authserver.E001",
        )
    for position, key in enumerate(conf.encryption_keys, start=1):
        try:
            Fernet(key)
        except ValueError:
            yield Error(
                f"AUTHSERVER['ENCRYPTION_KEYS']: key {position} is not 32 bytes in "
                "URL-safe Base64.",
                id="authserver.E002",
            )


def _settings() -> Iterator[CheckMessage]:
    """E003, E004, E013: the toolkit's models and answers, and the accounts, are ours."""
    for wanted, number in ((SWAPPED, "E003"), (ACCOUNTS, "E013")):
        for name, value in wanted.items():
            if getattr(settings, name, None) != value:
                yield Error(f"{name} must be {value!r}.", id=f"authserver.{number}")
    provider = getattr(settings, "OAUTH2_PROVIDER", {})
    for name, value in CLASSES.items():
        if provider.get(name) != value:
            yield Error(
                f"OAUTH2_PROVIDER[{name!r}] must be {value!r}.", id="authserver.E004"
            )


def _commands() -> Iterator[CheckMessage]:
    """E009: the toolkit's ``cleartokens`` would delete live refresh tokens."""
    if get_commands().get("cleartokens") != "authserver":
        yield Error(
            "INSTALLED_APPS must name 'authserver' before 'oauth2_provider'.",
            hint="Its command cleartokens would delete every live refresh token.",
            id="authserver.E009",
        )


def _apps() -> Iterator[CheckMessage]:
    """E011, E012: pages of admin extend ``institution_admin``, accounts are allauth's."""
    has_admin = apps.is_installed("django.contrib.admin")
    if has_admin and not apps.is_installed("institution_admin"):
        yield Error("INSTALLED_APPS must name 'institution_admin'.", id="authserver.E011")
    for app in ALLAUTH:
        if not apps.is_installed(app):
            yield Error(f"INSTALLED_APPS must name {app!r}.", id="authserver.E012")


def _issuer() -> Iterator[CheckMessage]:
    """E005: the issuer is an origin, character by character what clients compare."""
    parts = urlsplit(conf.issuer)
    if f"{parts.scheme}://{parts.netloc}" != conf.issuer or not parts.netloc:
        yield Error(
            "AUTHSERVER['ISSUER'] must be scheme and host, without a path or slash.",
            id="authserver.E005",
        )


def _lifetimes() -> Iterator[CheckMessage]:
    """E006, W001: lifetimes are positive, and a code's is short."""
    lifetimes: dict[str, timedelta] = {
        "ACCESS_TOKEN_SECONDS": conf.access_token_lifetime,
        "CODE_SECONDS": conf.code_lifetime,
        "REFRESH_TOKEN_SECONDS": conf.refresh_token_lifetime,
        "PENDING_REQUEST_SECONDS": conf.pending_request_lifetime,
        "SECRET_LINK_HOURS": conf.secret_link_lifetime,
        "CONSENT_DAYS": conf.consent_lifetime,
        "CLIENT_FAILURE_WINDOW_SECONDS": conf.client_failure_window,
    }
    for name, lifetime in lifetimes.items():
        if lifetime.total_seconds() <= 0:
            yield Error(f"AUTHSERVER[{name!r}] must be positive.", id="authserver.E006")
    if conf.code_lifetime.total_seconds() > MAX_CODE_SECONDS:
        yield Warning(
            "AUTHSERVER['CODE_SECONDS'] is above ten minutes (RFC 6749 section 4.1.2).",
            id="authserver.W001",
        )


def _requests() -> Iterator[CheckMessage]:
    """E007: a refused request must leave its audit event and its used code behind."""
    for alias, database in settings.DATABASES.items():
        if database.get("ATOMIC_REQUESTS"):
            yield Error(
                f"DATABASES[{alias!r}]['ATOMIC_REQUESTS'] must be off: what a refused "
                "request revoked and recorded would be rolled back.",
                id="authserver.E007",
            )


def _login_limits() -> Iterator[CheckMessage]:
    """E008: passwords must not be guessed without end, whichever page asks for them."""
    rates = ratelimit.get_rates(**login_limits.LIMIT)
    if {rate.per for rate in rates} != {"key", "ip"} or min(
        min(rate.amount, rate.duration) for rate in rates
    ) <= 0:
        yield Error(
            "ACCOUNT_RATE_LIMITS['login_failed'] must limit 'key' and 'ip'.",
            hint='For example "10/900s/key,100/900s/ip".',
            id="authserver.E008",
        )
    if conf.sends_mail and not ratelimit.get_rates(**login_limits.MAIL_LIMIT):
        yield Error(
            "ACCOUNT_RATE_LIMITS['password_mail'] must limit messages to one account.",
            hint='For example "3/3600s/user".',
            id="authserver.E008",
        )
    if LIMIT_MIDDLEWARE not in settings.MIDDLEWARE:
        yield Error(f"MIDDLEWARE must contain {LIMIT_MIDDLEWARE!r}.", id="authserver.E008")


def _mail() -> Iterator[CheckMessage]:
    """W002: the time of an answer must not show whether there is an account."""
    tasks = getattr(settings, "TASKS", {}).get("default", {}).get("BACKEND", IMMEDIATE)
    if conf.sends_mail and tasks == IMMEDIATE:
        yield Warning(
            "AUTHSERVER['SENDS_MAIL'] is on, and tasks are done while a page is answered: "
            "how long that takes tells which accounts there are.",
            hint="Set TASKS to a backend that works in the background.",
            id="authserver.W002",
        )
