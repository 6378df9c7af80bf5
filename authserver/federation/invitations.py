"""Invitations: links that connect an account with an identity provider, once.

An administrator hands the link to the person, who opens it and signs in at the provider.
Nothing is stored: the link is signed, ends by time, and is over once the account is
connected, or may do more than the administrator.
"""

from typing import Any

from django.core import signing

from authserver.accounts import rights
from authserver.conf import conf
from authserver.federation.arrivals import is_connected
from authserver.models import SignInMethod, User

_SALT = "authserver.federation.invitation.by"


def make(user: User, method: SignInMethod, *, by: Any) -> str:
    """Return the token of a new invitation ``by`` an administrator."""
    return signing.dumps([user.pk, method.pk, user.login, by.pk], salt=_SALT)


def read(token: str) -> tuple[User, SignInMethod] | None:
    """Return whom a token invites, and where to sign in; ``None`` once it is over."""
    try:
        user_pk, method_pk, login, by_pk = signing.loads(
            token[:1000], salt=_SALT, max_age=conf.invitation_lifetime
        )
    except signing.BadSignature:
        return None
    method = SignInMethod.objects.usable().filter(pk=method_pk).first()
    user = (
        User.objects.select_related("institution")
        .filter(pk=user_pk, login=login, is_active=True)
        .first()
    )
    by = User.objects.filter(pk=by_pk, is_active=True).first()
    if method is None or user is None or user.institution_id != method.institution_id:
        return None
    # Who invited holds the link and may hold the provider: the account has grown since.
    if by is None or rights.exceed(user, by):
        return None
    return None if is_connected(user, method) else (user, method)
