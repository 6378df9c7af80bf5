"""Logins, failures and sign-outs in the audit record, Django admin's included.

Receivers of Django's own signals; connected in ``apps.py`` after django-axes has connected
its own, so a failure is counted before it is judged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

from authserver import audit
from authserver.accounts import login_limits
from authserver.models import AuditEvent, Institution, User

if TYPE_CHECKING:
    from django.http import HttpRequest

Action = AuditEvent.Action


def connect() -> None:
    """Listen."""
    user_logged_in.connect(logged_in, dispatch_uid="authserver.login_audit.logged_in")
    user_logged_out.connect(logged_out, dispatch_uid="authserver.login_audit.logged_out")
    user_login_failed.connect(failed, dispatch_uid="authserver.login_audit.failed")


def logged_in(user: User, **_kwargs: Any) -> None:
    """Record who came in."""
    audit.record_account(Action.LOGIN_SUCCEEDED, user)


def logged_out(user: User | None, **_kwargs: Any) -> None:
    """Record who left; a session that had ended by itself names nobody."""
    if user is not None:
        audit.record_account(Action.LOGGED_OUT, user)


def failed(
    credentials: dict[str, Any], request: HttpRequest | None = None, **_kwargs: Any
) -> None:
    """Record a failure, and the lock that it opens.

    Attempts during a lock are refused unseen and not recorded: whoever sends thousands of
    them must not fill the record.
    """
    if request is None or getattr(request, "axes_locked_out", False):
        return
    account = login_limits.account_of(request, credentials)
    institution = credentials.get("institution")
    record = partial(
        audit.record,
        subject=account,
        registry_id=institution.registry_id if isinstance(institution, Institution) else "",
    )
    record(Action.LOGIN_FAILED)
    seconds = login_limits.seconds_locked_since(
        request,
        account,
        request.axes_attempt_time,  # type: ignore[attr-defined]  # when it was begun
    )
    if seconds:
        record(Action.LOGIN_LOCKED, seconds=seconds)
