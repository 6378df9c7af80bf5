"""Who is looking, from the credentials of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calendar_events.models.visibility import ANONYMOUS, Viewer
from calendar_events.store import list_version
from platform_errors.credentials import Credentials

if TYPE_CHECKING:
    from datetime import datetime

    from rest_framework.request import Request


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


def viewer_of(request: Request, *, now: datetime) -> Viewer:
    """Return who is looking; asks the database only when somebody acts."""
    credentials = credentials_of(request)
    if credentials is None or credentials.principal is None:
        return ANONYMOUS
    found = list_version.read(now=now, user=credentials.principal.user)
    return with_permissions(credentials, found.permissions)
