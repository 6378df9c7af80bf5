"""Second factors: who must have one, and help for a person who lost theirs."""

import ipaddress
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.db import transaction
from django.http import HttpRequest

from authserver import audit
from authserver.accounts import access, signing_in
from authserver.conf import conf
from authserver.crypto import encryption
from authserver.models import AuditEvent, User

STRONG = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]


def is_required_of(user: User) -> bool:
    """Return whether the account may not be used without a second factor."""
    if user.institution is None or user.is_superuser:
        return conf.platform_needs_second_factor
    return user.institution.requires_second_factor


def is_missing(request: HttpRequest, user: User) -> bool:
    """Return whether whoever is signed in has to add a second factor first."""
    return (
        is_required_of(user)
        and not _is_vouched_for(request, user)
        and not is_mfa_enabled(user, STRONG)
    )


def _is_vouched_for(request: HttpRequest, user: User) -> bool:
    """Return whether a provider answers for the person, which asks for factors of its own.

    None of an institution answers for a superuser.
    """
    return not user.is_superuser and "socialaccount" in signing_in.methods(request)


def offers_passkeys() -> bool:
    """Return whether browsers make passkeys for the issuer: not for a bare IP address."""
    issuer = urlsplit(conf.issuer)
    try:
        ipaddress.ip_address(issuer.hostname or "")
    except ValueError:
        return issuer.scheme == "https" or issuer.hostname == "localhost"
    return False


@transaction.atomic
def remove_all(user: User, *, actor: str) -> int:
    """Remove the factors of a person who lost them; return how many there were.

    The account is signed out everywhere: the password alone opens it until it has others.
    """
    removed, _ = Authenticator.objects.filter(user=user).delete()
    if removed:
        access.end_sessions(user)
        audit.record_account(
            AuditEvent.Action.FACTORS_REMOVED, user, actor=actor, factors=removed
        )
    return removed


def reencrypt() -> int:
    """Encrypt secrets of factors with the first key; return how many were changed.

    Raises ``SecretUnreadable`` for one that no encryption key opens.
    """
    changed = 0
    stored = Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN)
    for pk in stored.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            row = stored.select_for_update().filter(pk=pk).first()
            data = row.data if row is not None else {}
            old = {name: data[name] for name in ("secret", "seed") if name in data}
            if row is None or all(encryption.is_current(text) for text in old.values()):
                continue
            new = {name: encryption.rotate_encryption(text) for name, text in old.items()}
            row.data = {**data, **new}
            row.save(update_fields=["data"])
            changed += 1
    return changed
