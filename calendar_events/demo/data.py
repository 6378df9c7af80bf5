"""The events of the demonstration (decisions 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calendar_events.demo.places import NORTHGATE, RIVERSIDE
from calendar_events.models import Status

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, kw_only=True)
class DemoEvent:
    """One event, by days from today."""

    slug: str
    title: str
    day: int
    hour: int = 19
    hours: float = 2
    institution: str = RIVERSIDE
    timezone: str = ""
    description: str = ""
    excerpt: str = ""
    venues: list[str] = field(default_factory=list)
    organizers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    status: Status = Status.PUBLISH
    publish_in_days: int = 0
    cost: str = ""
    website: str = ""
    password: str = ""
    image: str = ""
    author: str = ""
    flags: tuple[str, ...] = ()


SPECIAL = [
    DemoEvent(
        slug="demo-open-day",
        title="Open day",
        day=3,
        hours=8,
        hour=0,
        flags=("all_day", "featured", "sticky"),
        description="<p>Look around the campus. Everybody is welcome.</p>",
        excerpt="A whole day on the campus.",
        categories=["Learning"],
        tags=["Free", "Families"],
        venues=["hall"],
        organizers=["students", "music"],
        cost="free",
        image="quay",
    ),
    DemoEvent(
        slug="demo-film-festival",
        title="Film festival",
        day=10,
        hour=18,
        hours=76,
        description="<p>Four days of short films from five continents.</p>",
        categories=["Culture"],
        venues=["hall"],
        organizers=["students"],
        cost="$10 - $25",
        flags=("ticketed",),
        image="screen",
    ),
    DemoEvent(
        slug="demo-lecture-from-berlin",
        title="Lecture from Berlin: the history of the zero",
        day=12,
        hour=17,
        timezone="Europe/Berlin",
        description="<p>Broadcast live from the Humboldt University.</p>",
        categories=["Learning"],
        organizers=["music", "students"],
        cost="€15",
        website="https://lectures.example/zero",
    ),
    DemoEvent(
        slug="demo-members-evening",
        title="Members' evening",
        day=14,
        description="<p>The word at the door is in the letter.</p>",
        venues=["library"],
        categories=["Culture"],
        password="opensesame",  # noqa: S106 -- published in decisions 8 and the README
    ),
    DemoEvent(
        slug="demo-staff-meeting",
        title="Staff meeting",
        day=5,
        hour=9,
        venues=["library"],
        flags=("hide_from_listings",),
    ),
    DemoEvent(
        slug="demo-spring-concert-draft",
        title="Spring concert",
        day=40,
        status=Status.DRAFT,
        categories=["Concerts"],
        venues=["hall"],
        cost="$1,234.56",
    ),
    DemoEvent(
        slug="demo-debate-pending",
        title="Debate: should lectures be recorded?",
        day=21,
        status=Status.PENDING,
        author="erin",
        categories=["Learning"],
    ),
    DemoEvent(
        slug="demo-board-private",
        title="Board of the School of Music",
        day=23,
        hour=10,
        status=Status.PRIVATE,
        organizers=["music"],
    ),
    DemoEvent(
        slug="demo-summer-school-scheduled",
        title="Winter school: choir and orchestra",
        day=50,
        hours=4,
        publish_in_days=7,
        categories=["Workshops"],
        organizers=["music"],
        cost="10, 20, 30",
    ),
    DemoEvent(
        slug="demo-cancelled-run",
        title="Charity run (cancelled)",
        day=16,
        hour=8,
        status=Status.TRASH,
        categories=["Sport"],
    ),
    DemoEvent(
        slug="demo-night-walk",
        title="Night walk along the river",
        day=8,
        hour=22,
        hours=4.5,
        author="frank",
        tags=["Outdoors"],
        cost="donation",
    ),
    DemoEvent(
        slug="demo-garden-party",
        title="Garden party",
        institution=NORTHGATE,
        day=9,
        hour=15,
        hours=4,
        venues=["garden"],
        organizers=["friends"],
        categories=["Community"],
        cost="15 CHF",
        flags=("featured",),
    ),
    # Its ``venue`` is a list, which not every existing client can read: over, it is in no
    # list that does not ask for the past.
    DemoEvent(
        slug="demo-culture-night",
        title="Culture night",
        institution=NORTHGATE,
        day=-30,
        hour=18,
        hours=5,
        venues=["garden", "branch"],
        organizers=["friends"],
        categories=["Community"],
    ),
]

# (slug, title, institution, hour, every so many days,
#  category, tag, venue, organizer, cost)
_SERIES = [
    (
        *("yoga", "Yoga for everybody", RIVERSIDE, 7, 4),
        *("Sport", "Outdoors", "gym", "students", "$5"),
    ),
    (
        *("chamber", "Chamber music at noon", RIVERSIDE, 12, 6),
        *("Concerts", "Free", "hall", "music", "free"),
    ),
    (
        *("writing", "Writing workshop", RIVERSIDE, 16, 8),
        *("Workshops", "Families", "library", "", "12.50"),
    ),
    (
        *("gallery", "Through the exhibition with a curator", RIVERSIDE, 14, 9),
        *("Exhibitions", "", "", "", "$0 - $30"),
    ),
    (
        *("stories", "Story time", NORTHGATE, 10, 5),
        *("Story time", "Children", "branch", "friends", ""),
    ),
    (
        *("book-club", "Book club", NORTHGATE, 19, 10),
        *("Reading", "Evening", "branch", "", "free"),
    ),
    (
        *("repair", "Repair café", NORTHGATE, 17, 12),
        *("Community", "Evening", "garden", "friends", "donation"),
    ),
]
DAYS = 60


def events() -> Iterator[DemoEvent]:
    """Return all of them: the special ones, then the series over sixty days."""
    yield from SPECIAL
    for slug, title, place, hour, step, category, tag, venue, organizer, cost in _SERIES:
        for number, day in enumerate(range(1 + step // 2, DAYS + 1, step), start=1):
            yield DemoEvent(
                slug=f"demo-{slug}-{number}",
                title=title,
                institution=place,
                day=day,
                hour=hour,
                hours=1.5,
                description=f"<p>{title}, number {number} of the season.</p>",
                categories=[category],
                tags=[tag] if tag else [],
                venues=[venue] if venue else [],
                organizers=[organizer] if organizer else [],
                cost=cost,
            )
