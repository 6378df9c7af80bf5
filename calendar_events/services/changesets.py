"""The fields of a write once they have been read, and why a write is refused.

A key that is absent was not sent and changes nothing; text is clean, references exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypedDict

from calendar_events.models import Image, Status
from calendar_events.services.images import Picture

THIS: Final = "this"
FOLLOWING: Final = "following"
ALL: Final = "all"
SCOPES: Final = (THIS, FOLLOWING, ALL)
"""Which occurrences of a series a write is for."""


@dataclass(frozen=True, slots=True)
class ImageUrl:
    """The address of a picture that has not been fetched yet."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How an event repeats, as it was sent; ``None`` is what was not."""

    rrule: str | None = None
    rdate: tuple[str, ...] | None = None
    exdate: tuple[str, ...] | None = None


class RecordChanges(TypedDict, total=False):
    """What events, venues and organizers share."""

    author: int
    published_at: datetime | None
    status: Status
    slug: str
    description: str
    website: str
    image: Image | ImageUrl | Picture | None
    """A stored image, one that is still to be fetched or stored, or none."""


class ScheduleChanges(TypedDict, total=False):
    """The fields of a write that a schedule depends on; dates are still text."""

    start_date: str
    end_date: str
    timezone: str
    all_day: bool


class EventChanges(RecordChanges, ScheduleChanges, total=False):
    """The fields of spec 2.3."""

    title: str
    excerpt: str
    cost: str
    show_map: bool
    show_map_link: bool
    hide_from_listings: bool
    sticky: bool
    featured: bool
    ticketed: bool
    categories: list[int | str]
    """Identifiers, and the names of categories to be created."""
    tags: list[int | str]
    venue: list[int | VenueChanges]
    organizer: list[int | OrganizerChanges]
    recurrence: Recurrence
    event_status: str
    status_reason: str
    attendance_mode: str
    online_address: str
    online_audience: str
    online_from: datetime | None
    # Not on the wire: admin sets them.
    password: str
    post_parent: int | None


class VenueChanges(RecordChanges, total=False):
    """The fields of spec 2.4."""

    name: str
    address: str
    city: str
    country: str
    province: str
    state: str
    zip: str
    phone: str
    stateprovince: str
    show_map: bool
    show_map_link: bool
    geo_lat: float | None
    geo_lng: float | None


class OrganizerChanges(RecordChanges, total=False):
    """The fields of spec 2.5."""

    name: str
    phone: str
    email: str


class TermChanges(TypedDict, total=False):
    """The fields of spec 2.6; ``parent`` is ``None`` at the top of the tree."""

    name: str
    description: str
    slug: str
    parent: int | None


class InvalidFields(Exception):
    """Fields have values that cannot be used; ``reasons`` says why, by field."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        """Take the reason of each bad field."""
        self.reasons = dict(reasons)
        super().__init__("; ".join(f"{name} {why}" for name, why in self.reasons.items()))


class TermExists(Exception):
    """A term of this name stands under the same parent already."""

    def __init__(self, term_id: int) -> None:
        """Take the identifier of the term that is there."""
        self.term_id = term_id
        super().__init__(f"Term {term_id} has this name and the same parent.")


class InTrash(Exception):
    """The record is in the trash; only a restore or a final deletion can reach it."""
