"""What events refer to: institutions, venues in towns, organizers, terms, images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.seed.constants import INSTITUTIONS
from calendar_events.models import Image, Organizer, Status, Taxonomy, Term, Venue
from calendar_events.parsing import slugs
from calendar_events.store import saving

if TYPE_CHECKING:
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
SIZES: Final = (("thumbnail", 150, 150), ("medium", 300, 225))


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


class Maker:
    """Makes a world that fits so many events, as it was on ``now``."""

    def __init__(
        self, random: Random, prose: Prose, *, events: int, author: int, now: datetime
    ) -> None:
        """Found the towns; nothing has an identifier yet."""
        self.random, self.prose, self.events = random, prose, events
        self.created: dict[str, Any] = {"author_id": author, "created_at": now}
        self.towns = [(prose.title(), *CENTRE)]
        for _ in range(events // EVENTS_PER_TOWN):
            place = (random.uniform(30, 48), random.uniform(-120, -75))
            self.towns.append((prose.title(), *place))
        self.next_id: dict[type[Any], int] = {Image: 1, Venue: 1, Organizer: 1, Term: 1}

    def world(self) -> World:
        """Return the holdings of every institution, with their stored texts."""
        shares = zip(INSTITUTIONS, INSTITUTION_WEIGHTS, strict=True)
        return {
            institution: self._holdings(institution, self.events * weight // 100)
            for institution, weight in shares
        }

    def _holdings(self, institution: str, share: int) -> Holdings:
        held = Holdings(
            images=[self._image(institution) for _ in range(IMAGES)],
            venues=[
                self._published(Venue, institution, **self._venue())
                for _ in range(max(share // EVENTS_PER_VENUE, 8))
            ],
            organizers=[
                self._organizer(institution)
                for _ in range(max(share // EVENTS_PER_ORGANIZER, 6))
            ],
            categories=self._categories(institution),
            tags=[self._term(institution, Taxonomy.TAG) for _ in range(TAGS)],
        )
        for kind in (held.venues, held.organizers, held.categories, held.tags):
            for record in kind:
                saving.render(record)
        return held

    def _identifier(self, model: type[Any]) -> int:
        self.next_id[model] += 1
        return self.next_id[model] - 1

    def _image(self, institution: str) -> Image:
        number = self._identifier(Image)
        name = f"images/2026/01/picture-{number}"
        sizes = {
            size: {
                "file": f"{name}-{width}x{height}.jpg",
                "width": width,
                "height": height,
                "mime-type": "image/jpeg",
                "filesize": width * height // 9,
            }
            for size, width, height in SIZES
        }
        return Image(
            id=number,
            institution=institution,
            title=f"Picture {number}",
            width=1600,
            height=1200,
            file=f"{name}.jpg",
            filesize=self.random.randint(90_000, 400_000),
            mime_type="image/jpeg",
            sizes=sizes,
            **self.created,
        )

    def _published(self, model: Any, institution: str, **columns: Any) -> Any:
        number, random, prose = self._identifier(model), self.random, self.prose
        name = model._meta.model_name
        return model(
            id=number,
            institution=institution,
            slug=f"{name}-{number}",
            name=prose.title(),
            description=f"<p>{prose.sentence(18)}</p>",
            phone=f"+1 614 555 {random.randint(0, 9999):04}",
            website=f"https://{name}-{number}.example/",
            status=Status.PUBLISH,
            published_at=self.created["created_at"],
            modified_at=self.created["created_at"],
            **columns,
            **self.created,
        )

    def _venue(self) -> dict[str, Any]:
        random = self.random
        city, latitude, longitude = random.choice(self.towns)
        return {
            "address": f"{random.randint(1, 999)} {self.prose.words(1)[0].title()} Street",
            "city": city,
            "country": "United States",
            "state": "OH",
            "stateprovince": "OH",
            "zip": f"{random.randint(10_000, 99_999)}",
            "geo_lat": round(random.gauss(latitude, TOWN_SPREAD_DEGREES), 6),
            "geo_lng": round(random.gauss(longitude, TOWN_SPREAD_DEGREES), 6),
        }

    def _organizer(self, institution: str) -> Organizer:
        email = f"office@organizer-{self.next_id[Organizer]}.example"
        return self._published(Organizer, institution, email=email)

    def _categories(self, institution: str) -> list[Term]:
        """Return a tree, parents before their children."""
        made: list[Term] = []
        for place in range(CATEGORIES):
            parents = made[: max(place // 3, ROOT_CATEGORIES)]
            parent = self.random.choice(parents).pk if place >= ROOT_CATEGORIES else None
            made.append(self._term(institution, Taxonomy.CATEGORY, parent_id=parent))
        return made

    def _term(self, institution: str, taxonomy: Taxonomy, **columns: Any) -> Term:
        number, word = self._identifier(Term), self.prose.words(1)[0]
        return Term(
            id=number,
            institution=institution,
            taxonomy=taxonomy,
            name=f"{word.title()} {number}",
            slug=f"{slugs.from_title(word, fallback='term')}-{number}",
            description=f"About {word}.",
            created_at=self.created["created_at"],
            modified_at=self.created["created_at"],
            **columns,
        )
