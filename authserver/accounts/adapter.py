"""What django-allauth asks of this app: who may come in, where, and how secrets are kept.

``ACCOUNT_ADAPTER`` and ``MFA_ADAPTER``; ``authserver.checks`` asks for them.
"""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import MaxLengthValidator
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from authserver.accounts import confirmation, login_limits, mail, sessions, signing_in
from authserver.accounts.backends import LoginBackend, has_passwords
from authserver.accounts.forms import MAX_PASSWORD_LENGTH
from authserver.conf import conf
from authserver.crypto import encryption
from authserver.models import User
from platform_errors.errors.catalogue import Unavailable
from platform_errors.http.client_address import throttle_ident


class AccountAdapter(DefaultAccountAdapter):
    """Accounts of institutions: nobody signs up, and no look-up crosses an institution."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts are made by administrators, or by an institution's provider."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return what limits count a caller as: the address, or the /64 of an IPv6 one."""
        return throttle_ident(request) or "unknown"

    def _get_login_attempts_cache_key(
        self, request: HttpRequest, **credentials: Any
    ) -> str:
        """Count by the login, in whatever spelling it is typed (no hook that is public)."""
        return login_limits.account_of(credentials)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse before a password is looked at. Raises ``LoginLocked``.

        An attempt that is refused does not count, for the account nor for the address.
        Raises ``Unavailable`` while the cache is away: guesses are not left uncounted.
        """
        account = login_limits.account_of(credentials)
        try:
            login_limits.require_within(request, account)
            super().pre_authenticate(request, **credentials)
        except (login_limits.LoginLocked, DatabaseError):
            raise
        except Exception as error:  # each cache raises its own
            raise Unavailable from error

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """Return the error of a form; too many attempts have a page of their own."""
        if code == "too_many_login_attempts":
            raise login_limits.LoginLocked(login_limits.window_seconds())
        return super().validation_error(code, *args)

    def is_safe_url(self, url: str) -> bool:
        """Lead to paths of this server only; never to another of ``ALLOWED_HOSTS``."""
        return url.startswith("/") and super().is_safe_url(url) and not urlsplit(url).netloc

    def pre_login(
        self, request: HttpRequest, user: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Refuse disabled accounts, and everybody of an inactive institution.

        Where an institution has providers alone, a passkey does not count either.
        """
        arrived = (kwargs.get("signal_kwargs") or {}).get("sociallogin")
        if not LoginBackend().user_can_authenticate(user) or not (
            arrived or has_passwords(user)
        ):
            return self.respond_user_inactive(request, user)
        request.session[sessions.ENTERING] = user.pk
        if arrived:
            signing_in.vouched(request, user, arrived.state[signing_in.PROVED_AT])
        return super().pre_login(request, user, **kwargs)

    def respond_user_inactive(self, request: HttpRequest, user: Any) -> HttpResponse:
        """Begin anew: no page tells that there is such an account."""
        return HttpResponseRedirect(reverse("account_login"))

    def login(self, request: HttpRequest, user: Any) -> None:
        """Begin a session under a new key, at the account's institution as it is now.

        Raises ``ImmediateHttpResponse`` for an account that was disabled meanwhile.
        """
        if not LoginBackend().user_can_authenticate(user):
            raise ImmediateHttpResponse(self.respond_user_inactive(request, user))
        super().login(request, user)
        sessions.signed_in_at(request, user)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Ask again where the last proof is too old; a fresh sign-in is one.

        Raises ``ReauthenticationRequired``: django-allauth asks no account of a provider.
        """
        signing_in.require_fresh(self.request)
        return False

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return how to prove it again; no password where passwords do not count."""
        ways: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if not ways or has_passwords(user):
            return ways
        return [way for way in ways if way["id"] != "reauthenticate"]

    def clean_password(self, password: str, user: Any = None) -> str:
        """Refuse what is too long to be typed before it is hashed, and the one of before.

        Raises ``ValidationError``.
        """
        MaxLengthValidator(MAX_PASSWORD_LENGTH)(password)
        if user is not None and user.check_password(password):
            raise ValidationError("This is the password that you have now.")
        return str(super().clean_password(password, user))

    def set_password(self, user: Any, password: str) -> None:
        """Set what its owner chose: nobody else knows it."""
        user.must_change_password = False
        super().set_password(user, password)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return where a new password leads that was asked for nowhere else."""
        return reverse("authserver:access")

    def send_notification_mail(
        self,
        template_prefix: str,
        user: Any,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell people by mail what was changed for their account, in a task."""
        mail.notify(user, template_prefix, to=email or user.email, **(context or {}))

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return where a sign-in leads that came from nowhere."""
        return reverse("authserver:access")

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, *_: Any, **__: Any
    ) -> None:
        """Let a task send the link, so that no request waits for a mail server."""
        confirmation.send_confirmation.enqueue(emailconfirmation.email_address.pk)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: our pages show what was done."""


class FactorAdapter(DefaultMFAAdapter):
    """Second factors: their secrets encrypted at rest, and named after this service."""

    def encrypt(self, text: str) -> str:
        """Return the secret as it is stored."""
        return encryption.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. Raises ``SecretUnreadable`` when no configured key fits."""
        return encryption.decrypt(encrypted_text).decode()

    def get_totp_issuer(self) -> str:
        """Return the name that authenticator apps show."""
        return _host()

    def get_totp_label(self, user: User) -> str:
        """Return the login, which tells a person's accounts apart."""
        return user.login

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return whom passkeys are for: the issuer, whatever ``Host`` a request names."""
        return {"id": _host(), "name": _host()}


def _host() -> str:
    host = urlsplit(conf.issuer).hostname
    if host is None:
        raise ImproperlyConfigured("AUTHSERVER['ISSUER'] has no host")
    return host
