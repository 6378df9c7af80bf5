"""The links themselves: Django's tokens, which end with use, with time and with a login."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse

from authserver.accounts.backends import LoginBackend
from authserver.conf import conf
from authserver.models import PasswordLink, User


class LinkTokens(PasswordResetTokenGenerator):
    """Django's, of one link: a new password, a login or another address ends them, too.

    A link's row is deleted when its account or institution is switched on again (by a
    trigger), or the account moves: what was switched off does not come back.
    """

    def __init__(self, link: PasswordLink) -> None:
        """Make tokens that are of no use with another link."""
        super().__init__()
        self.key_salt = f"authserver.accounts.links.{link.pk}"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.login}"


def address_of(link: PasswordLink, user: User) -> str:
    """Return the address to send, below the one that settings name.

    What proves the mailbox is in the query, which no log keeps.
    """
    query = {"link": link.pk, "token": LinkTokens(link).make_token(user)}
    return f"{conf.issuer}{reverse('authserver:new-password')}?{urlencode(query)}"


def may_use(user: User) -> bool:
    """Return whether the account can sign in at all, so that a password is of use."""
    return LoginBackend().user_can_authenticate(user)


def find(text: str) -> PasswordLink | None:
    """Return the link of this identifier, with its account, if that can sign in."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return None
    rows = PasswordLink.objects.select_related("user__institution")
    link = rows.filter(pk=int(text), user__isnull=False).first()
    if link is None or link.user is None or not may_use(link.user):
        return None
    return link


def find_locked(text: str) -> PasswordLink | None:
    """Return it as it is once its account is locked, in a transaction."""
    link = find(text)
    if link is None:
        return None
    rows = User.objects.select_for_update(of=("self",))
    rows.filter(password_links=link).first()
    return find(text)
