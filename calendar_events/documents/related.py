"""What an event carries besides its own row: venues, organizers, terms."""

from typing import Any, NamedTuple


class Related(NamedTuple):
    """A venue, an organizer or a term of an event."""

    kind: str
    event: int
    position: int
    id: int
    version: int
    modified_at: Any
    """As the driver gives it; not with ``of_events``."""
    is_scheduled: bool | None
    fragment: str | None
    """``None`` when the viewer may not see it; it is left out of the answer."""
    number: int
    """Of a term: how many published events have it."""
    name: str
    published_at: Any = None
    """When what is published was or will be; given like ``modified_at``."""
    json_ld: str = ""
    """Of a venue or an organizer, where it was asked for."""
