"""The demonstration's calendar as plain data: who offers what, where, on which day."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calendar_events.models import Status
from calendar_events.services.inputs import EventChanges

if TYPE_CHECKING:
    from calendar_events.services.inputs import VenueChanges

RIVERSIDE, NORTHGATE = "1001", "1002"

# institution → name → parent; tags have none.
CATEGORIES: dict[str, dict[str, str]] = {
    RIVERSIDE: {
        "Arts": "",
        "Music": "Arts",
        "Jazz": "Music",
        "Theatre": "Arts",
        "Lectures": "",
        "Sports": "",
    },
    NORTHGATE: {"Reading": "", "Children": "Reading", "Workshops": ""},
}
TAGS: dict[str, tuple[str, ...]] = {
    RIVERSIDE: ("open to all", "outdoors", "evening"),
    NORTHGATE: ("family", "evening"),
}
VENUES: dict[str, tuple[VenueChanges, ...]] = {
    RIVERSIDE: (
        {
            "name": "Great Hall",
            "address": "1 College Road",
            "city": "Riverside",
            "state": "CA",
            "zip": "92501",
            "country": "United States",
            "phone": "+1 951 555 0100",
            "website": "https://riverside.example/great-hall",
            "geo_lat": 33.9806,
            "geo_lng": -117.3755,
        },
        {
            "name": "River Stage",
            "address": "Boathouse Lane",
            "city": "Riverside",
            "state": "CA",
            "country": "United States",
            "geo_lat": 33.9912,
            "geo_lng": -117.3961,
        },
        {
            "name": "Observatory",
            "address": "Hilltop",
            "city": "Riverside",
            "country": "United States",
            "geo_lat": 34.0102,
            "geo_lng": -117.3203,
        },
        {"name": "Online"},
    ),
    NORTHGATE: (
        {
            "name": "Reading Room",
            "address": "12 Market Square",
            "city": "Northgate",
            "province": "Yorkshire",
            "country": "United Kingdom",
            "geo_lat": 53.9614,
            "geo_lng": -1.0739,
        },
        {
            "name": "Story Garden",
            "address": "14 Market Square",
            "city": "Northgate",
            "country": "United Kingdom",
            "geo_lat": 53.9619,
            "geo_lng": -1.0746,
        },
    ),
}
ORGANIZERS: dict[str, tuple[str, ...]] = {
    RIVERSIDE: ("Music Department", "Astronomy Society", "Student Union"),
    NORTHGATE: ("Library Friends", "Story Team"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One event: when it is, counted from the day of seeding, and what it is like.

    ``starts`` and ``ends`` are a number of days and a time of day.
    """

    title: str
    institution: str = RIVERSIDE
    author: str = ""
    """A username; empty for the institution's editor."""
    starts: tuple[int, str]
    ends: tuple[int, str]
    changes: EventChanges = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    organizers: tuple[str, ...] = ()
    image: str = ""
    published_in_days: int | None = None
    parent: str = ""
    """The title of an event above it in the list."""
    is_trashed: bool = False

    @property
    def slug(self) -> str:
        """Return the slug by which seeding again finds the event."""
        return (
            "demo-"
            + "-".join(
                "".join(
                    c if c.isalnum() and c.isascii() else " " for c in self.title
                ).split()
            ).lower()
        )


SPECIAL = (
    Plan(
        title="Autumn Concert",
        starts=(3, "19:30"),
        ends=(3, "22:00"),
        changes={
            "description": "<p>The orchestra plays <em>Dvořák</em> and Smyth.</p>",
            "excerpt": "Dvořák and Smyth in the Great Hall.",
            "cost": "$10 - $20",
            "featured": True,
            "ticketed": True,
            "website": "https://riverside.example/concert?season=autumn&year=2026",
        },
        categories=("Music",),
        tags=("evening", "open to all"),
        venues=("Great Hall",),
        organizers=("Music Department", "Student Union"),
        image="concert",
    ),
    Plan(
        title="Open Campus Day",
        starts=(6, "00:00"),
        ends=(6, "00:00"),
        changes={"all_day": True, "sticky": True, "cost": "free"},
        tags=("open to all", "outdoors"),
        venues=("Great Hall", "River Stage"),
        organizers=("Student Union",),
        image="campus",
    ),
    Plan(
        title="Jazz Weekend",
        starts=(10, "18:00"),
        ends=(12, "23:00"),
        changes={"cost": "$0 - $30"},
        categories=("Jazz",),
        venues=("River Stage",),
        organizers=("Music Department",),
    ),
    Plan(
        title="Jazz Weekend: Opening Night",
        starts=(10, "20:00"),
        ends=(10, "23:00"),
        changes={"cost": "25"},
        categories=("Jazz",),
        venues=("River Stage",),
        parent="Jazz Weekend",
    ),
    Plan(
        title="Lecture from Berlin",
        starts=(8, "18:15"),
        ends=(8, "19:45"),
        changes={"timezone": "Europe/Berlin", "cost": "€15"},
        categories=("Lectures",),
        venues=("Online",),
    ),
    Plan(
        title="Night of the Telescopes",
        starts=(14, "23:30"),
        ends=(15, "02:30"),
        changes={"timezone": "America/Los_Angeles", "cost": "donation"},
        categories=("Lectures",),
        tags=("evening", "outdoors"),
        venues=("Observatory",),
        organizers=("Astronomy Society",),
        image="stars",
    ),
    Plan(
        title="Members' Evening",
        starts=(9, "19:00"),
        ends=(9, "21:00"),
        changes={
            "password": "opensesame",
            "description": "<p>Only for those who know the word.</p>",
            "cost": "15€",
        },
        venues=("Great Hall",),
    ),
    Plan(
        title="Rehearsal, not listed",
        starts=(2, "17:00"),
        ends=(2, "19:00"),
        changes={"hide_from_listings": True},
        categories=("Music",),
    ),
    Plan(
        title="Spring Festival (draft)",
        starts=(40, "10:00"),
        ends=(40, "18:00"),
        changes={"status": Status.DRAFT},
    ),
    Plan(
        title="Poetry Slam (waiting for review)",
        author="erin",
        starts=(21, "20:00"),
        ends=(21, "22:00"),
        changes={"status": Status.PENDING},
    ),
    Plan(
        title="Erin's Idea (draft)",
        author="erin",
        starts=(22, "20:00"),
        ends=(22, "22:00"),
        changes={"status": Status.DRAFT},
    ),
    Plan(
        title="Faculty Meeting (private)",
        starts=(5, "09:00"),
        ends=(5, "10:30"),
        changes={"status": Status.PRIVATE},
    ),
    Plan(
        title="Surprise Announcement (scheduled)",
        starts=(50, "12:00"),
        ends=(50, "13:00"),
        published_in_days=30,
    ),
    Plan(
        title="Canceled Picnic (trash)",
        starts=(18, "12:00"),
        ends=(18, "15:00"),
        is_trashed=True,
    ),
    Plan(
        title="Frank's Running Club",
        author="frank",
        starts=(4, "07:00"),
        ends=(4, "08:00"),
        changes={"cost": "0"},
        categories=("Sports",),
        tags=("outdoors",),
    ),
    Plan(
        title="Gala Dinner",
        starts=(25, "19:00"),
        ends=(25, "23:00"),
        changes={"cost": "$1,234.56", "ticketed": True},
        venues=("Great Hall",),
    ),
    Plan(
        title="Theatre Trip",
        starts=(28, "16:00"),
        ends=(28, "23:30"),
        changes={"cost": "10, 20, 30", "ticketed": True},
        categories=("Theatre",),
    ),
    Plan(
        title="Story Hour",
        institution=NORTHGATE,
        starts=(2, "15:00"),
        ends=(2, "16:00"),
        changes={"featured": True, "cost": "free", "timezone": "Europe/London"},
        categories=("Children",),
        tags=("family",),
        venues=("Story Garden",),
        organizers=("Story Team", "Library Friends"),
        image="books",
    ),
    Plan(
        title="New Shelves (draft)",
        institution=NORTHGATE,
        starts=(30, "10:00"),
        ends=(30, "11:00"),
        changes={"status": Status.DRAFT},
    ),
)

# title, institution, time, category, venue, organizer, cost: twice each over sixty days.
_USUAL = (
    ("Lunch Concert", RIVERSIDE, "12:30", "Music", "Great Hall", "Music Department", ""),
    ("Choir Practice", RIVERSIDE, "18:00", "Music", "Great Hall", "Music Department", ""),
    ("Chess Evening", RIVERSIDE, "19:00", "", "", "Student Union", "12.5"),
    ("Stargazing", RIVERSIDE, "21:00", "Lectures", "Observatory", "Astronomy Society", ""),
    ("Rowing", RIVERSIDE, "07:30", "Sports", "River Stage", "Student Union", "5"),
    ("Yoga by the River", RIVERSIDE, "08:00", "Sports", "River Stage", "", "free"),
    ("Debate", RIVERSIDE, "17:00", "Lectures", "Great Hall", "Student Union", ""),
    ("Film Club", RIVERSIDE, "20:00", "Theatre", "Great Hall", "Student Union", "$7"),
    ("Guest Lecture", RIVERSIDE, "16:15", "Lectures", "Great Hall", "", ""),
    ("Improv Night", RIVERSIDE, "20:30", "Theatre", "River Stage", "", "donation"),
    ("Math Circle", RIVERSIDE, "15:00", "Lectures", "Online", "", ""),
    ("Football Training", RIVERSIDE, "17:30", "Sports", "", "Student Union", ""),
    ("Book Club", NORTHGATE, "18:30", "Reading", "Reading Room", "Library Friends", ""),
    (
        "Picture Books",
        NORTHGATE,
        "10:00",
        "Children",
        "Story Garden",
        "Story Team",
        "",
    ),
    ("Poetry Reading", NORTHGATE, "19:00", "Reading", "Reading Room", "", "£4"),
    ("Bookbinding", NORTHGATE, "14:00", "Workshops", "Reading Room", "", "£10 - £12"),
    ("Family History", NORTHGATE, "11:00", "Workshops", "Reading Room", "", ""),
    (
        "Homework Help",
        NORTHGATE,
        "16:00",
        "Children",
        "Reading Room",
        "Library Friends",
        "",
    ),
    ("Knitting Circle", NORTHGATE, "13:00", "Workshops", "Reading Room", "", "free"),
    (
        "Author Evening",
        NORTHGATE,
        "19:30",
        "Reading",
        "Reading Room",
        "Library Friends",
        "£6",
    ),
    (
        "Lego Saturday",
        NORTHGATE,
        "10:30",
        "Children",
        "Story Garden",
        "Story Team",
        "",
    ),
)


def _usual() -> tuple[Plan, ...]:
    plans = []
    for number, (title, institution, at, category, venue, organizer, cost) in enumerate(
        _USUAL
    ):
        for week in (0, 1):
            day = 1 + (number * 7 + week * 31) % 59
            ends = f"{int(at[:2]) + 1:02}{at[2:]}"
            plans.append(
                Plan(
                    title=f"{title} {('I', 'II')[week]}",
                    institution=institution,
                    starts=(day, at),
                    ends=(day, ends),
                    changes={"cost": cost} if cost else {},
                    categories=(category,) if category else (),
                    tags=("evening",) if at > "18" else (),
                    venues=(venue,) if venue else (),
                    organizers=(organizer,) if organizer else (),
                )
            )
    return tuple(plans)


PLANS = SPECIAL + _usual()
