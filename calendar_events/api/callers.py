"""Who calls: the viewer of a read, the actor of a write, from the request's credentials."""

from rest_framework.request import Request

from calendar_events.models.visibility import ANONYMOUS, Viewer
from calendar_events.permissions import Actor
from calendar_events.store import list_version
from platform_errors.credentials import Credentials
from platform_errors.permissions import (
    require_credentials,
    require_institution,
    require_user,
)


def credentials_of(request: Request) -> Credentials | None:
    """Return the credentials of a request, if it came with any."""
    return request.auth if isinstance(request.auth, Credentials) else None


def with_permissions(
    credentials: Credentials | None, permissions: frozenset[str]
) -> Viewer:
    """Return the viewer behind the credentials; without a user that is everybody."""
    if credentials is None or credentials.principal is None or not credentials.institution:
        return ANONYMOUS
    return Viewer(
        institution=credentials.institution,
        user_id=credentials.principal.user.pk,
        permissions=permissions,
    )


def actor_of(request: Request) -> Actor:
    """Return who writes, and where (decisions 2).

    Raises what ``platform_errors.permissions`` raises when nobody may.
    """
    credentials = require_credentials(request)
    institution = require_institution(credentials)
    principal = require_user(credentials)
    return Actor(
        user=principal.user,
        institution=institution,
        client_id=credentials.key.client_id,
        permissions=list_version.permissions_of(principal.user),
    )


def as_viewer(actor: Actor) -> Viewer:
    """Return who writes as somebody who looks at the answer."""
    return Viewer(
        institution=actor.institution,
        user_id=actor.user.pk,
        permissions=list_version.as_viewers(actor.permissions or frozenset()),
    )
