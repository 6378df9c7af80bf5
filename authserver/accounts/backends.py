"""Who may log in: people at their institution, and administrators by their login.

Neither backend takes the other's credentials: Django tries every backend whose signature
fits, and a username that is unique within an institution must not be looked up as a login.
"""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from authserver.models import Institution, SignInRules, User


def login_at(institution: Institution, username: str) -> str:
    """Return the login of this username at the institution (decisions 2)."""
    return f"{username}@{institution.registry_id}"


def has_passwords(user: User) -> bool:
    """Return whether people sign in to the account here, and not by a provider alone."""
    return user.institution is None or SignInRules.of(user.institution).passwords


class _PlatformBackend(ModelBackend):
    """What both have in common: a session ends with its user or its institution."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: Any = None,
        password: Any = None,
        **_: Any,
    ) -> User | None:
        """Return the user, where passwords count (``SignInRules``)."""
        user = super().authenticate(request, username=username, password=password)
        return user if isinstance(user, User) and has_passwords(user) else None

    def user_can_authenticate(self, user: Any) -> bool:
        """Refuse disabled users, and everybody of an inactive institution."""
        return (
            isinstance(user, User)
            and user.is_active
            and (user.institution is None or user.institution.is_active)
        )

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session together with the institution, in one query."""
        user = User.objects.select_related("institution").filter(pk=user_id).first()
        return user if self.user_can_authenticate(user) else None


class InstitutionBackend(_PlatformBackend):
    """Log in with a username that is unique within the institution."""

    def authenticate(  # type: ignore[override]  # narrower on purpose, see above
        self,
        request: HttpRequest | None,
        *,
        institution: Institution,
        username: str,
        password: str,
    ) -> User | None:
        """Return the user, or ``None`` after the same amount of work.

        Django's own implementation hashes once for an unknown user and asks whether the
        user is active only after the password was compared.
        """
        return super().authenticate(
            request, username=login_at(institution, username), password=password
        )


class LoginBackend(_PlatformBackend):
    """Log in with the globally unique ``login``, as Django admin asks for it."""

    def authenticate(  # type: ignore[override]  # narrower on purpose, see above
        self, request: HttpRequest | None, username: str, password: str, email: str = ""
    ) -> User | None:
        """Return the user, or ``None`` after the same amount of work.

        An address, which django-allauth adds where it is confirmed, finds nobody.
        """
        return super().authenticate(request, username=username, password=password)
