"""Who is looking, and what they may see (decisions 2 and 7, ``contract`` events 8).

Everybody sees what is published. A user sees, in the institution of the credentials, also
their own records, and with ``read_unpublished_…`` everybody's. The trash is seen only by
asking for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calendar_events.models import Status
from platform_errors.credentials import Credentials

if TYPE_CHECKING:
    from datetime import datetime

    from rest_framework.request import Request


EVENT, VENUE, ORGANIZER = "event", "venue", "organizer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """What decides about visibility; a part of every entity tag (decisions 6)."""

    institution: str = ""
    user_id: int | None = None
    permissions: frozenset[str] = frozenset()

    @property
    def is_user(self) -> bool:
        """Whether somebody acts who can have unpublished content."""
        return self.user_id is not None and bool(self.institution)

    def can(self, verb: str, kind: str) -> bool:
        """Return whether the permission ``{verb}_{kind}`` is held."""
        return f"{verb}_{kind}" in self.permissions

    def sees_statuses(self, kind: str) -> bool:
        """Return whether lists show and accept statuses other than ``publish``."""
        return self.is_user and self.can("change", kind)

    def sees(self, kind: str, *, institution: str, author_id: int) -> bool:
        """Return whether a record that is not public may be read."""
        if not self.is_user or institution != self.institution:
            return False
        return author_id == self.user_id or self.can("read_unpublished", kind)

    @property
    def key(self) -> str:
        """Return the part of an entity tag that tells viewers apart."""
        if not self.is_user:
            return ""
        return f"{self.institution}/{self.user_id}/{','.join(sorted(self.permissions))}"


ANONYMOUS = Viewer()


def credentials_of(request: Request) -> Credentials | None:
    """Return the credentials of a request, if it came with any."""
    return request.auth if isinstance(request.auth, Credentials) else None


def viewer_of(credentials: Credentials | None, permissions: frozenset[str]) -> Viewer:
    """Return the viewer behind the credentials; without a user that is everybody."""
    if credentials is None or credentials.principal is None or not credentials.institution:
        return ANONYMOUS
    return Viewer(
        institution=credentials.institution,
        user_id=credentials.principal.user.pk,
        permissions=permissions,
    )


def is_public(status: str, published_at: datetime | None, now: datetime) -> bool:
    """Return whether anybody may read a record at ``now``."""
    return status == Status.PUBLISH and published_at is not None and published_at <= now
