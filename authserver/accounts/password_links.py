"""Links to choose a password with: asked for, sent to the accounts that are meant, read.

Whether an account exists is looked for in a task and not while the page is answered, so
that nobody can tell by the time that it takes. A key is made when its message is sent, and
stored nowhere.
"""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from allauth.account.forms import UserTokenForm
from allauth.account.utils import user_pk_to_url_str
from django import forms
from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.urls import reverse
from django_tasks import task

from authserver import audit
from authserver.accounts import login_limits, mail
from authserver.accounts.admin_site import may_enter
from authserver.accounts.backends import LoginBackend, has_passwords
from authserver.conf import conf
from authserver.crypto import encryption
from authserver.models import AuditEvent, Institution, User
from platform_errors.http.client_address import current_client_address
from platform_errors.http.request_id import stored_request_id

MOST_ACCOUNTS = 5
"""Of one e-mail address: so many of its accounts get a message."""
RESET = "account/email/password_reset_key"
INVITATION = "authserver/mail/invitation"


class Keys(PasswordResetTokenGenerator):
    """Django's: a new password, a login, another address or time ends them.

    So does another login name, and being switched off, with the institution or alone.
    """

    key_salt = "authserver.accounts.password_links.Keys"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        at = user.institution
        anew = (user.switched_on_at, at and at.switched_on_at)
        return f"{super()._make_hash_value(user, timestamp)}{user.login}{anew}"


class LinkForm(UserTokenForm):
    """django-allauth's, with both parts of a link in ``key``; sets ``reset_user``."""

    uidb36 = forms.CharField(required=False)
    token_generator = Keys()

    def clean(self) -> dict[str, Any]:
        """Look for the account. Raises ``ValidationError``."""
        uidb36, _, key = self.cleaned_data.get("key", "").partition("-")
        self.cleaned_data |= {"uidb36": uidb36, "key": key}
        data: dict[str, Any] = super().clean()
        return data

    def _get_user(self, uidb36: str) -> User | None:
        """Return the account if a password of its own is of use."""
        user = super()._get_user(uidb36)
        return user if user is not None and may_use(user) else None


def address_of(user: User) -> str:
    """Return a new link, below the issuer.

    What proves the mailbox is in the query, which no log keeps.
    """
    query = {"link": user_pk_to_url_str(user), "token": Keys().make_token(user)}
    return f"{conf.issuer}{reverse('authserver:new-password')}?{urlencode(query)}"


def hours() -> int:
    """Return how long a link works."""
    return max(1, settings.PASSWORD_RESET_TIMEOUT // 3600)


def may_use(user: User) -> bool:
    """Return whether a password opens the account."""
    return LoginBackend().user_can_authenticate(user) and has_passwords(user)


@transaction.atomic
def ask(institution: Institution, typed: str) -> None:
    """Let a task find the account. The same work whatever was typed."""
    find_accounts.enqueue(
        *(institution.pk, encryption.encrypt(typed)),
        *(current_client_address(), stored_request_id()),
    )


@transaction.atomic
def invite(user: User, *, actor: str) -> str:
    """Send the account a link to choose a password; return a word when it cannot be.

    Whatever password it has must be changed. The words are those of ``refusal``.
    """
    if reason := refusal(user):
        return reason
    User.objects.filter(pk=user.pk).update(must_change_password=True)
    user.must_change_password = True
    audit.record_account(AuditEvent.Action.INVITED, user, actor=actor)
    send_link.enqueue(user.pk, INVITATION)
    return ""


def refusal(user: User) -> str:
    """Return why the account gets no message; empty when it gets one, which counts.

    Words: ``disabled``, ``no_passwords``, ``no_email``, ``too_many``.
    """
    if not LoginBackend().user_can_authenticate(user):
        return "disabled"
    if not has_passwords(user):
        return "no_passwords"
    if not user.email:
        return "no_email"
    return "" if login_limits.may_send_password_mail(user) else "too_many"


@task()
def find_accounts(institution_id: int, typed: str, address: str, request_id: str) -> None:
    """Find the accounts that a typed name means, record it, queue a message to each.

    ``typed`` is encrypted.
    """
    institution = Institution.objects.filter(pk=institution_id).first()
    if institution is None:
        return
    name = encryption.decrypt(typed).decode()
    record = partial(
        audit.record,
        AuditEvent.Action.PASSWORD_RESET_ASKED,
        registry_id=institution.registry_id,
        address=address,
        request_id=request_id,
    )
    with transaction.atomic():
        users = _named(institution, name)
        for user in users:
            reason = _reset_refusal(user)
            record(subject=user.login, reason=reason)
            if not reason:
                send_link.enqueue(user.pk, RESET)
        if not users:
            typed_login = f"{name}@{institution.registry_id}"
            record(subject=typed_login, reason="unknown_account")


@task()
def send_link(user_id: int, template: str) -> None:
    """Send one message. Raises ``MailRefused``, to be tried again."""
    user = User.objects.select_related("institution").filter(pk=user_id).first()
    if user is None or not user.email or not may_use(user):
        return
    mail.send(
        user,
        template,
        link=address_of(user),
        hours=hours(),
        admin_url=f"{conf.issuer}{reverse('admin:index')}" if may_enter(user) else "",
    )


def _reset_refusal(user: User) -> str:
    """Return why a reset is refused: who signs in elsewhere gets no password by mail."""
    if not (user.has_usable_password() or user.must_change_password):
        return "no_passwords"
    return refusal(user)


def _named(institution: Institution, name: str) -> list[User]:
    """Return the account of this username, or those of this e-mail address."""
    found = list(User.objects.at(institution, name).select_related("institution"))
    if found or "@" not in name:
        return found
    same = User.objects.filter(institution=institution, email__iexact=name.strip())
    return list(same.select_related("institution").order_by("pk")[:MOST_ACCOUNTS])
