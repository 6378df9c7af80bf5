"""Events and their links, one after another, ready to be stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from benchmarks.seed.constants import INSTITUTIONS
from benchmarks.seed.world import CATEGORIES, INSTITUTION_WEIGHTS, TAGS
from calendar_events import documents
from calendar_events.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Status,
)
from calendar_events.parsing import text
from calendar_events.store import saving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from benchmarks.seed.words import Prose
    from benchmarks.seed.world import World
    from calendar_events.models.event import EventLink

# A fifth lies ahead, within the default window of two years.
DAYS_BACK: Final = 2_900
DAYS_AHEAD: Final = 700
ZONES: Final = tuple(
    map(
        ZoneInfo,
        ("UTC", "America/New_York", "Europe/Berlin", "Asia/Tokyo", "Australia/Sydney"),
    )
)
STATUSES: Final = (
    Status.PUBLISH,
    Status.DRAFT,
    Status.PRIVATE,
    Status.PENDING,
    Status.TRASH,
)
STATUS_WEIGHTS: Final = (930, 30, 20, 10, 10)
COSTS: Final = ("", "", "Free", "10", "$25", "12.50", "$10 - $20")


@dataclass(frozen=True, slots=True)
class Planned:
    """An event with its link rows."""

    event: Event
    links: list[EventLink]


class Planner:
    """Plans events of a world; the same for the same seed and day."""

    def __init__(
        self, random: Random, prose: Prose, world: World, *, author: int, now: datetime
    ) -> None:
        """Weigh categories and tags, so that some are popular and most are not."""
        self.random = random
        self.prose = prose
        self.world = world
        self.author = author
        self.now = now
        self._category_weights = [1 / (n + 1) for n in range(CATEGORIES)]
        self._tag_weights = [1 / (n + 3) for n in range(TAGS)]

    def plan(self, first: int, last: int) -> Iterator[Planned]:
        """Yield the events with the identifiers ``first`` to ``last``."""
        for number in range(first, last + 1):
            event = self._event(number)
            yield Planned(event, list(self._links(event)))

    def _event(self, number: int) -> Event:
        random = self.random
        institution = random.choices(INSTITUTIONS, INSTITUTION_WEIGHTS)[0]
        title = self.prose.title()
        description, folded = self.prose.description()
        excerpt = self.prose.sentence(14) if random.random() < 0.3 else ""
        status = random.choices(STATUSES, STATUS_WEIGHTS)[0]
        zone = random.choice(ZONES)
        day = self.now.date() + timedelta(days=random.randint(-DAYS_BACK, DAYS_AHEAD))
        all_day = random.random() < 0.08
        start = datetime(  # noqa: DTZ001 -- a wall clock
            day.year,
            day.month,
            day.day,
            *((0, 0) if all_day else (random.randint(8, 21), random.choice((0, 15, 30)))),
        )
        end = start + (
            timedelta(days=1, seconds=-1)
            if all_day
            else timedelta(hours=random.randint(1, 4))
        )
        start_utc = start.replace(tzinfo=zone).astimezone(UTC)
        published = min(
            start_utc - timedelta(days=random.randint(5, 90)), self.now - timedelta(hours=1)
        )
        event = Event(
            id=number,
            institution=institution,
            author_id=self.author,
            title=title,
            slug=f"event-{number}" if status != Status.DRAFT else "",
            description=description,
            excerpt=f"<p>{excerpt}</p>" if excerpt else "",
            status=status,
            previous_status=Status.PUBLISH if status == Status.TRASH else "",
            published_at=published if status != Status.DRAFT else None,
            created_at=published,
            modified_at=published,
            start_local=start,
            end_local=end,
            start_utc=start_utc,
            end_utc=end.replace(tzinfo=zone).astimezone(UTC),
            timezone=zone.key,
            all_day=all_day,
            cost=random.choice(COSTS),
            website=f"https://event-{number}.example/" if random.random() < 0.5 else "",
            hide_from_listings=random.random() < 0.01,
            featured=random.random() < 0.05,
            ticketed=random.random() < 0.2,
        )
        if random.random() < 0.4:
            event.image = random.choice(self.world[institution].images)
        event.sort_text = text.fold(title)[: saving.SORT_LENGTH]
        # What ``store.saving`` makes of title, excerpt and description, of parts that are
        # folded already: folding a whole description costs more than all the rest.
        event.search_text = "\n".join(
            filter(None, (text.fold(title), text.fold(excerpt), folded))
        )
        for column, made in documents.render_event(event)._asdict().items():
            setattr(event, column, made)
        return event

    def _links(self, event: Event) -> Iterator[EventLink]:
        random, held = self.random, self.world[event.institution]
        copies = {
            "event_id": event.pk,
            "start_utc": event.start_utc,
            "listed": event.status == Status.PUBLISH and not event.hide_from_listings,
        }
        venues = random.choices((0, 1, 2), (8, 89, 3))[0]
        for position, venue in enumerate(random.sample(held.venues, venues)):
            yield EventVenue(venue_id=venue.pk, position=position, **copies)
        organizers = random.choices((0, 1, 2), (5, 80, 15))[0]
        for position, organizer in enumerate(random.sample(held.organizers, organizers)):
            yield EventOrganizer(organizer_id=organizer.pk, position=position, **copies)
        terms = [
            *random.choices(
                held.categories, self._category_weights, k=random.randint(1, 2)
            ),
            *random.choices(held.tags, self._tag_weights, k=random.randint(0, 3)),
        ]
        for position, term in enumerate({term.pk: term for term in terms}):
            yield EventTerm(term_id=term, position=position, **copies)
