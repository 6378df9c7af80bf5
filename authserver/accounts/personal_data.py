"""What is kept about a person, for the person; and the end of their account."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.db.models import ProtectedError
from django.dispatch import Signal

from authserver import audit
from authserver.accounts import access, sessions
from authserver.models import AccessToken, AuditEvent, Consent, RefreshToken, User

collect_personal_data = Signal()
"""Sent with ``user``; a receiver returns a name and what of its own tells of the person."""

MOST = 10_000
"""So many rows of each kind, the newest."""
ACCOUNT = (
    *("login", "username", "full_name", "email", "principal_id", "principal_namespace"),
    *("is_active", "is_staff", "must_change_password", "created_at", "last_login"),
)
EVENT = ("at", "action", "actor", "client_id", "address", "reason", "details")


def everything_about(user: User, now: datetime) -> dict[str, Any]:
    """Return it as a document: no secrets, and no digests of them."""
    of_user: dict[str, tuple[Any, Iterable[str]]] = {
        "mail_addresses": (EmailAddress, ("email", "verified")),
        "second_factors": (Authenticator, ("type", "created_at", "last_used_at")),
        "providers": (SocialAccount, ("provider", "uid", "date_joined", "extra_data")),
        "consents": (Consent, ("key__name", "scope", "granted_at", "expires_at")),
        "access_tokens": (AccessToken, ("application__name", "scope", "created")),
        "refresh_tokens": (RefreshToken, ("application__name", "scope", "created")),
    }
    found: dict[str, Any] = {
        "account": {name: getattr(user, name) for name in ACCOUNT}
        | {
            "institution": user.institution.registry_id if user.institution else None,
            "roles": list(user.groups.order_by("name").values_list("name", flat=True)),
        },
        "sessions": [
            {"browser": each.browser, "since": each.since, "until": each.until}
            for each in sessions.of(user, now)
        ],
    }
    for name, (model, columns) in of_user.items():
        rows = model.objects.filter(user=user).order_by("-pk").values(*columns)
        found[name] = list(rows[:MOST])
    # Whoever had this login before is somebody else.
    events = AuditEvent.objects.filter(subject=user.login, at__gte=user.created_at)
    events = events.order_by("-at", "-pk")
    found["audit_record"] = list(events.values(*EVENT)[:MOST])
    answers: list[tuple[Any, Any]] = collect_personal_data.send(User, user=user)
    return found | dict(answer for _, answer in answers)


def may_change_profile(user: User) -> bool:
    """Return whether the person says name and mail; else a provider does each time."""
    return (
        user.has_usable_password() and not SocialAccount.objects.filter(user=user).exists()
    )


@transaction.atomic
def change_name(user: User, name: str) -> None:
    """Write another name, on record."""
    changes = f"Full name: {user.full_name or 'nothing'} → {name or 'nothing'}"
    User.objects.filter(pk=user.pk).update(full_name=name)
    audit.record_account(
        AuditEvent.Action.ACCOUNT_CHANGED, user, actor=user.login, changes=changes
    )


@transaction.atomic
def delete(user: User, now: datetime) -> bool:
    """Delete the account if its institution lets people do so; else record the wish.

    Return whether it is gone. One whose records are still needed is disabled, with the wish
    on record.
    """
    if user.institution is None or not user.institution.lets_people_delete_accounts:
        audit.record_account(AuditEvent.Action.DELETION_ASKED, user, actor=user.login)
        return False
    access.end_tokens(user, now, reason="account_deleted", actor=user.login)
    access.end_sessions(user)
    changes = "Deleted by its owner."
    try:
        with transaction.atomic():
            User.objects.get(pk=user.pk).delete()
    except ProtectedError:
        changes = "Disabled by its owner; its records are still needed."
        User.objects.filter(pk=user.pk).update(is_active=False)
        audit.record_account(AuditEvent.Action.DELETION_ASKED, user, actor=user.login)
    audit.record_account(
        AuditEvent.Action.ACCOUNT_CHANGED, user, actor=user.login, changes=changes
    )
    return True
