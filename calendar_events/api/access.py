"""The caller of a request, and read access to records (decisions 2, contract events 4)."""

from datetime import datetime

from rest_framework.request import Request

from calendar_events.models import Status, visibility
from calendar_events.models.visibility import ANONYMOUS, EVENT, Viewer
from calendar_events.permissions import Actor
from calendar_events.store import list_version
from calendar_events.store.singles import Single
from platform_errors.credentials import Credentials
from platform_errors.errors.base import ForbiddenError
from platform_errors.errors.catalogue import NoSuchResource
from platform_errors.permissions import (
    require_credentials,
    require_institution,
    require_same_institution,
    require_user,
)


class RecordNotFound(NoSuchResource):
    """No record of the kind has this identifier or slug."""

    default_code = "record_not_found"

    def __init__(self, kind: str) -> None:
        """``kind``: ``event``, ``venue``, ``organizer``, ``category`` or ``tag``."""
        super().__init__(text=f"The requested {kind} was not found")
        self.events_code = f"rest-{kind}-not-found"


class RecordNotAccessible(ForbiddenError):
    """The record is not published, and the caller may not see it."""

    default_code = "record_not_accessible"

    def __init__(self, kind: str) -> None:
        super().__init__(text=f"The requested {kind} is not accessible")
        self.events_code = f"{kind}-not-accessible"


class EventNoLongerAvailable(ForbiddenError):
    """The event is in the trash."""

    default_code = "event_no_longer_available"
    default_detail = "The requested event is no longer available"
    events_code = "event-no-longer-available"


class EventPasswordProtected(ForbiddenError):
    """The event needs its password, and another or none was given."""

    default_code = "event_password_protected"
    default_detail = "The requested event is password protected"
    events_code = "event-password-protected"


def require_readable(
    kind: str,
    record: Single,
    *,
    viewer: Viewer,
    credentials: Credentials | None,
    now: datetime,
) -> None:
    """Require that the viewer may read a record.

    Raises ``EventNoLongerAvailable`` or ``RecordNotAccessible``; for credentials of another
    institution or without a user what ``platform_errors.permissions`` raises.
    """
    if kind == EVENT and record.status == Status.TRASH:
        raise EventNoLongerAvailable
    if visibility.is_met_by(visibility.public(now), record):
        return
    if credentials is not None:
        require_same_institution(credentials, record.institution)
        require_user(credentials)
    if not visibility.is_met_by(visibility.own(viewer, kind), record):
        raise RecordNotAccessible(kind)


def require_password(
    record: Single, password: str, *, viewer: Viewer, editing: bool
) -> None:
    """Require an event's password; who may edit it may also say ``context=edit``.

    Raises ``EventPasswordProtected``.
    """
    if visibility.password_matches(record.password, password):
        return
    if editing and viewer.is_user and viewer.institution == record.institution:
        is_own = record.author_id == viewer.user_id and viewer.can("change", EVENT)
        if is_own or viewer.can("change_others", EVENT):
            return
    raise EventPasswordProtected


def credentials_of(request: Request) -> Credentials | None:
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
    """Return the actor's read permissions, for the answer to a write."""
    return Viewer(
        institution=actor.institution,
        user_id=actor.user.pk,
        permissions=list_version.as_viewers(actor.permissions or frozenset()),
    )
