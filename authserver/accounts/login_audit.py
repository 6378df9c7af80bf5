"""Logins, failures and sign-outs in the audit record, Django admin's included.

Receivers of signals of Django and django-allauth; ``apps.py`` imports them.
"""

from functools import partial
from typing import Any

from allauth.account import signals as account_signals
from allauth.mfa import signals as factor_signals
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import Signal, receiver
from django.http import HttpRequest

from authserver import audit
from authserver.accounts import login_limits
from authserver.models import AuditEvent, Institution, User

Action = AuditEvent.Action


FACTORS: dict[Signal, AuditEvent.Action] = {
    factor_signals.authenticator_added: Action.FACTOR_ADDED,
    factor_signals.authenticator_reset: Action.FACTOR_ADDED,
    factor_signals.authenticator_removed: Action.FACTOR_REMOVED,
    factor_signals.authentication_failed: Action.FACTOR_FAILED,
}


@receiver(user_logged_in)
def logged_in(user: User, **_kwargs: Any) -> None:
    """Record who came in."""
    login_limits.clear_account(user.login)
    audit.record_account(Action.LOGIN_SUCCEEDED, user)


@receiver(user_logged_out)
def logged_out(user: User | None, **_kwargs: Any) -> None:
    """Record who left; a session that had ended by itself names nobody."""
    if user is not None:
        audit.record_account(Action.LOGGED_OUT, user)


@receiver(account_signals.password_changed)
def password_changed(user: User, **_kwargs: Any) -> None:
    """Record that an owner chose another password."""
    audit.record_account(Action.PASSWORD_CHANGED, user)


@receiver(account_signals.password_reset)
def password_reset(user: User, **_kwargs: Any) -> None:
    """Record that a mailbox stood for the password, and forgive what was typed before."""
    audit.record_account(Action.PASSWORD_RESET, user)
    login_limits.lift_account(user.login, by=user.login)


@receiver(list(FACTORS))
def factor(
    signal: Signal, user: User, authenticator: Authenticator, **_kwargs: Any
) -> None:
    """Record what became of a second factor."""
    audit.record_account(FACTORS[signal], user, actor=user.login, factor=authenticator.type)


@receiver(user_login_failed)
def failed(
    credentials: dict[str, Any], request: HttpRequest | None = None, **_kwargs: Any
) -> None:
    """Record a failure, and the lock that it opens.

    Attempts during a lock are refused unseen and not recorded: whoever sends thousands of
    them must not fill the record.
    """
    if request is None:
        return
    account = login_limits.account_of(credentials)
    institution = credentials.get("institution")
    record = partial(
        audit.record,
        subject=account,
        registry_id=institution.registry_id if isinstance(institution, Institution) else "",
    )
    record(Action.LOGIN_FAILED)
    if seconds := login_limits.seconds_to_wait(request, account):
        record(Action.LOGIN_LOCKED, seconds=seconds)
