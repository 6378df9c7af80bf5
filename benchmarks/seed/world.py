"""What events refer to: institutions, venues in towns, organizers, terms, images."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final

from benchmarks.seed.constants import INSTITUTIONS
from calendar_events.models import Image, Organizer, Status, Taxonomy, Term, Venue
from calendar_events.parsing import slugs
from calendar_events.store import saving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from random import Random

    from benchmarks.seed.words import Prose

EVENTS_PER_VENUE: Final = 50
# A larger calendar serves more towns, not ever larger ones.
EVENTS_PER_TOWN: Final = 1_250
TOWN_SPREAD_DEGREES: Final = 0.05
EVENTS_PER_ORGANIZER: Final = 60
# Of each institution:
CATEGORIES: Final = 40
ROOT_CATEGORIES: Final = 8
TAGS: Final = 100
IMAGES: Final = 40
# The first is the university, the others are small.
INSTITUTION_WEIGHTS: Final = (60, 10, 10, 10, 10)
CENTRE: Final = (40.0, -83.0)
"""The first town; geographic searches start here."""


@dataclass(frozen=True, slots=True)
class Town:
    """A place with venues around it."""

    name: str
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What events of one institution can be linked to; nothing is stored yet."""

    images: list[Image]
    venues: list[Venue]
    organizers: list[Organizer]
    categories: list[Term]
    tags: list[Term]


World = dict[str, Holdings]
"""Holdings by registry identifier, in the order of ``INSTITUTIONS``."""


def make(random: Random, prose: Prose, *, events: int, author: int, now: datetime) -> World:
    """Make a world that fits so many events, as it was on ``now``."""
    towns = [Town(prose.title(), *CENTRE), *_towns(random, prose, events)]
    common = {
        "author_id": author,
        "status": Status.PUBLISH,
        "published_at": now,
        "created_at": now,
        "modified_at": now,
    }
    venue_ids, organizer_ids = count(1), count(1)
    world: World = {}
    for index, (institution, weight) in enumerate(
        zip(INSTITUTIONS, INSTITUTION_WEIGHTS, strict=True)
    ):
        share = events * weight // 100
        first_term = index * (CATEGORIES + TAGS) + 1
        world[institution] = Holdings(
            images=list(_images(random, institution, author=author, now=now)),
            venues=[
                Venue(
                    institution=institution,
                    **_venue(random, prose, towns, number),
                    **common,
                )
                for number in islice(venue_ids, max(share // EVENTS_PER_VENUE, 8))
            ],
            organizers=[
                Organizer(
                    institution=institution, **_organizer(random, prose, number), **common
                )
                for number in islice(organizer_ids, max(share // EVENTS_PER_ORGANIZER, 6))
            ],
            categories=list(_categories(random, prose, institution, first_term, now)),
            tags=[
                _term(
                    number,
                    prose.words(1)[0],
                    now,
                    taxonomy=Taxonomy.TAG,
                    institution=institution,
                )
                for number in range(first_term + CATEGORIES, first_term + CATEGORIES + TAGS)
            ],
        )
    for held in world.values():
        for kind in (held.venues, held.organizers, held.categories, held.tags):
            for record in kind:
                saving.render(record)
    return world


def _towns(random: Random, prose: Prose, events: int) -> Iterator[Town]:
    for _ in range(events // EVENTS_PER_TOWN):
        yield Town(prose.title(), random.uniform(30, 48), random.uniform(-120, -75))


def _images(
    random: Random, institution: str, *, author: int, now: datetime
) -> Iterator[Image]:
    first = INSTITUTIONS.index(institution) * IMAGES + 1
    for number in range(first, first + IMAGES):
        name = f"images/2026/01/picture-{number}"
        yield Image(
            id=number,
            institution=institution,
            author_id=author,
            title=f"Picture {number}",
            width=1600,
            height=1200,
            file=f"{name}.jpg",
            filesize=random.randint(90_000, 400_000),
            mime_type="image/jpeg",
            sizes={
                size: {
                    "file": f"{name}-{width}x{height}.jpg",
                    "width": width,
                    "height": height,
                    "mime-type": "image/jpeg",
                    "filesize": width * height // 9,
                }
                for size, width, height in (("thumbnail", 150, 150), ("medium", 300, 225))
            },
            created_at=now,
        )


def _venue(random: Random, prose: Prose, towns: list[Town], number: int) -> dict[str, Any]:
    town = random.choice(towns)
    return {
        "id": number,
        "slug": f"venue-{number}",
        "name": prose.title(),
        "description": f"<p>{prose.sentence(20)}</p>",
        "address": f"{random.randint(1, 999)} {prose.words(1)[0].title()} Street",
        "city": town.name,
        "country": "United States",
        "state": "OH",
        "stateprovince": "OH",
        "zip": f"{random.randint(10_000, 99_999)}",
        "phone": f"+1 614 555 {random.randint(0, 9999):04}",
        "website": f"https://venue-{number}.example/",
        "geo_lat": round(random.gauss(town.latitude, TOWN_SPREAD_DEGREES), 6),
        "geo_lng": round(random.gauss(town.longitude, TOWN_SPREAD_DEGREES), 6),
    }


def _organizer(random: Random, prose: Prose, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "slug": f"organizer-{number}",
        "name": prose.title(),
        "description": f"<p>{prose.sentence(15)}</p>",
        "phone": f"+1 614 555 {random.randint(0, 9999):04}",
        "website": f"https://organizer-{number}.example/",
        "email": f"office@organizer-{number}.example",
    }


def _categories(
    random: Random, prose: Prose, institution: str, first: int, now: datetime
) -> Iterator[Term]:
    """Yield a tree, parents before their children."""
    for number in range(first, first + CATEGORIES):
        place = number - first
        parent = first + random.randrange(max(place // 3, ROOT_CATEGORIES))
        yield _term(
            number,
            prose.words(1)[0],
            now,
            taxonomy=Taxonomy.CATEGORY,
            institution=institution,
            parent_id=parent if place >= ROOT_CATEGORIES else None,
        )


def _term(number: int, word: str, now: datetime, **columns: Any) -> Term:
    return Term(
        id=number,
        **columns,
        name=f"{word.title()} {number}",
        slug=f"{slugs.from_title(word, fallback='term')}-{number}",
        description=f"About {word}.",
        created_at=now,
        modified_at=now,
    )
