"""Which unpublished records a viewer may see, as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calendar_events.store.sql import Conditions
    from calendar_events.viewers import Viewer


def own_part(conditions: Conditions, viewer: Viewer, kind: str, alias: str) -> None:
    """Restrict to the unpublished records that the viewer may see."""
    conditions.add(f"{alias}.institution = %s", viewer.institution)
    if not viewer.can("read_unpublished", kind):
        conditions.add(f"{alias}.author_id = %s", viewer.user_id)
