"""What a caller must have, as small DRF classes any app can list (spec 5.3).

    permission_classes = [
        RequiresService.named("calendar_events").with_open_reads(),
        RequiresInstitution.with_open_reads(),
        RequiresUser.with_open_reads(),
        RequiresUserPermission.named("calendar_events.add_event").with_open_reads(),
    ]

Listed in the order of the contract: service, institution, user, permission. With open reads
a GET, HEAD or OPTIONS may come without credentials, and without what the class asks for,
but what was sent must still be right. The functions ask the same from code.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from rest_framework.permissions import SAFE_METHODS, BasePermission

from platform_errors.credentials import Credentials
from platform_errors.errors import base, catalogue, writes
from platform_errors.keys import get_key_store

if TYPE_CHECKING:  # rest_framework.views imports this module by its setting
    from rest_framework.request import Request
    from rest_framework.views import APIView

    from platform_errors.credentials import Principal


# --- From code ----------------------------------------------------------------------------


def require_credentials(request: Request) -> Credentials:
    """Return the credentials of a request. Raises ``AuthorizationHeaderMissing``."""
    if isinstance(request.auth, Credentials):
        return request.auth
    raise catalogue.AuthorizationHeaderMissing


def require_service(credentials: Credentials, code: str) -> None:
    """Require that token and key have a service, and that it is live (spec 5.3.1).

    Raises ``TokenLacksService`` or ``ScopesInvalid``.
    """
    if credentials.scopes is not None and code not in credentials.scopes:
        raise catalogue.TokenLacksService(scope=code)
    key = credentials.key
    if problems := key.service_problems([code], datetime.now(UTC)):
        names = get_key_store().service_names([code])
        raise catalogue.ScopesInvalid(
            [(code, names.get(code, name), why) for code, name, why in problems]
        )


def require_same_institution(credentials: Credentials, institution: str) -> None:
    """Require that the credentials are for the institution of a record (decisions 2).

    Raises ``InstitutionNotOnKey`` when the key lacks it, ``MissingPermission`` when the key
    has it but the credentials are for another.
    """
    key = credentials.key
    if institution not in key.institutions:
        raise catalogue.InstitutionNotOnKey(key=key.client_id, institution=institution)
    if institution != credentials.institution:
        raise catalogue.MissingPermission(
            f"the credentials are for institution {credentials.institution or '(none)'}, "
            f"the data is of institution {base.echo(institution)}"
        )


def require_allowed_institution(credentials: Credentials) -> None:
    """Require that an institution named by request or token is allowed (spec 5.3.2).

    Raises like ``require_same_institution``.
    """
    if credentials.requested_institution:
        require_same_institution(credentials, credentials.requested_institution)


def require_institution(credentials: Credentials) -> str:
    """Return the institution that the request acts for.

    Raises ``InstitutionNotNamed`` when a key has several (or none) and none was named; else
    like ``require_same_institution``.
    """
    require_allowed_institution(credentials)
    if credentials.institution is None:
        raise writes.InstitutionNotNamed
    return credentials.institution


def require_valid_user(credentials: Credentials) -> None:
    """Require that a user, if stated, can act here (spec 7.3). Raises ``InvalidUser``."""
    if credentials.is_user_invalid:
        raise catalogue.InvalidUser


def require_user(credentials: Credentials) -> Principal:
    """Return the acting user. Raises ``InvalidUser`` when there is none (spec 5.3.3)."""
    require_valid_user(credentials)
    if credentials.principal is None:
        raise catalogue.InvalidUser
    return credentials.principal


def require_permission(credentials: Credentials, permission: str) -> None:
    """Require that the acting user holds a permission, ``app_label.codename`` (spec 5.3.3).

    Raises ``InvalidUser`` or ``MissingPermission``.
    """
    user: Any = require_user(credentials).user
    if not user.has_perm(permission):
        raise catalogue.MissingPermission


# --- On views -----------------------------------------------------------------------------


class Requirement(BasePermission):
    """One thing asked of a caller."""

    open_reads: ClassVar[bool] = False

    @classmethod
    def with_open_reads(cls) -> type[Self]:
        """Return the variant that asks everything of writes only."""
        return cls._variant(open_reads=True)

    @classmethod
    def _variant(cls, **attributes: object) -> type[Self]:
        return cast("type[Self]", type(cls.__name__, (cls,), attributes))

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return ``True`` or raise the error, which has its own message and status."""
        is_read = request.method in SAFE_METHODS
        relaxed = self.open_reads and is_read
        if relaxed and request.auth is None:
            return True
        if not is_read and request.method not in view.allowed_methods:
            # 405 regardless of credentials.
            raise catalogue.MethodNotSupported
        credentials = require_credentials(request)
        if relaxed:
            self.check_if_present(credentials)
        else:
            self.check(credentials)
        return True

    def check(self, credentials: Credentials) -> None:
        """Raise an error unless the credentials have everything."""

    def check_if_present(self, credentials: Credentials) -> None:
        """Raise an error if what was sent is not right."""


class RequiresCredentials(Requirement):
    """Somebody must be calling: 401 for anonymous requests."""


class RequiresService(Requirement):
    """The key, and the token if there is one, must have the service."""

    code: ClassVar[str]

    @classmethod
    def named(cls, code: str) -> type[Self]:
        """Return the requirement of a service by its code, which is its scope."""
        return cls._variant(code=code)

    def check(self, credentials: Credentials) -> None:
        require_service(credentials, self.code)

    check_if_present = check


class RequiresInstitution(Requirement):
    """The key must be allowed the institution; one must be known unless reads are open."""

    def check(self, credentials: Credentials) -> None:
        """Require an institution; 400 when several are possible."""
        require_institution(credentials)

    def check_if_present(self, credentials: Credentials) -> None:
        """Require that an institution that is named is on the key."""
        require_allowed_institution(credentials)


class RequiresUser(Requirement):
    """Somebody must be acting through the key."""

    def check(self, credentials: Credentials) -> None:
        require_user(credentials)

    def check_if_present(self, credentials: Credentials) -> None:
        """Require that a user that is named can act."""
        require_valid_user(credentials)


class RequiresUserPermission(Requirement):
    """The acting user must hold a permission, ``app_label.codename``."""

    permission: ClassVar[str]

    @classmethod
    def named(cls, permission: str) -> type[Self]:
        """Return the requirement of a permission by Django's name of it."""
        return cls._variant(permission=permission)

    def check(self, credentials: Credentials) -> None:
        """Require the permission of the user's account."""
        require_permission(credentials, self.permission)
