"""A whole database, from nothing to measured: tables, accounts, a calendar.

Events are made in chunks that do not depend on each other, by as many processes as there
are cores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import count
from multiprocessing import get_context
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.core.management import call_command
from django.db import connection, connections, transaction
from tqdm import tqdm

from benchmarks.seed import accounts, bulk
from benchmarks.seed.constants import INSTITUTIONS, OTHER_TOKENS
from benchmarks.seed.words import Prose
from calendar_events.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Image,
    Organizer,
    Status,
    Taxonomy,
    Term,
    Venue,
)
from calendar_events.models.event import EventLink
from calendar_events.parsing import slugs
from calendar_events.store import saving

SEED: Final = "a calendar of any size"
CHUNK: Final = 5_000
LINKS: Final = (EventVenue, EventOrganizer, EventTerm)
# The first is the university, the others are small.
INSTITUTION_WEIGHTS: Final = (60, 10, 10, 10, 10)
EVENTS_PER_VENUE: Final = 50
EVENTS_PER_ORGANIZER: Final = 60
# A larger calendar serves more towns, not ever larger ones.
EVENTS_PER_TOWN: Final = 1_250
CENTRE: Final = (40.0, -83.0)
"""The first town; geographic searches start here."""
TOWN_SPREAD_DEGREES: Final = 0.05
# Of each institution; some are popular and most are not.
CATEGORIES: Final = 40
ROOT_CATEGORIES: Final = 8
CATEGORY_WEIGHTS: Final = [1 / (n + 1) for n in range(CATEGORIES)]
TAGS: Final = 100
TAG_WEIGHTS: Final = [1 / (n + 3) for n in range(TAGS)]
IMAGES: Final = 40
SIZES: Final = (("thumbnail", 150, 150), ("medium", 300, 225))
# A fifth lies ahead, within the default window of two years.
DAYS_BACK: Final = 2_900
DAYS_AHEAD: Final = 700
ZONES: Final = (
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Asia/Tokyo",
    "Australia/Sydney",
)
STATUSES: Final = {
    Status.PUBLISH: 930,
    Status.DRAFT: 30,
    Status.PRIVATE: 20,
    Status.PENDING: 10,
    Status.TRASH: 10,
}
COSTS: Final = ("", "", "Free", "10", "$25", "12.50", "$10 - $20")

_state: dict[str, Calendar] = {}
"""What processes that are forked inherit."""


def prepare(
    *, events: int, other_tokens: int = OTHER_TOKENS, now: datetime | None = None
) -> None:
    """Migrate an empty database, and fill it with accounts and so many events."""
    call_command("migrate", verbosity=0, interactive=False)
    editor = accounts.create(other_tokens=other_tokens)
    fill(events=events, author=editor.pk, now=now)


def fill(*, events: int, author: int, now: datetime | None = None) -> None:
    """Store ``events`` events and what they refer to.

    The same number on the same day gives the same calendar. Twice is an error.
    """
    calendar = Calendar(events=events, author=author, now=now or datetime.now(UTC))
    for held in calendar.holdings.values():
        for rows in (held.images, held.venues, held.organizers, held.categories, held.tags):
            bulk.store(rows)
    chunks = range(1, events + 1, CHUNK)
    if connection.vendor != "postgresql" or len(chunks) == 1:
        for first in chunks:
            calendar.store_events(first)
    else:
        _fill_by_processes(calendar, chunks)
    bulk.reset_sequences(Event, *LINKS, Image, Organizer, Term, Venue)
    bulk.analyze()


def _fill_by_processes(calendar: Calendar, chunks: range) -> None:
    _state["calendar"] = calendar
    tables = [model._meta.db_table for model in (Event, *LINKS)]
    with bulk.without_indexes(*tables):
        connections.close_all()
        with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
            list(tqdm(pool.map(_store_chunk, chunks), "events", len(chunks)))


def _store_chunk(first: int) -> None:
    _state["calendar"].store_events(first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What events of one institution can be linked to."""

    images: list[Image]
    venues: list[Venue]
    organizers: list[Organizer]
    categories: list[Term]
    tags: list[Term]


class Calendar:
    """Makes what a calendar of so many events consists of, as it was on the day ``now``."""

    def __init__(self, *, events: int, author: int, now: datetime) -> None:
        """Found the towns, and make what events are linked to; nothing is stored."""
        self.random = random = Random(SEED)  # noqa: S311 -- repeatable is the point
        self.prose = prose = Prose(random)
        self.events = events
        self.author = author
        self.now = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self._identifiers: dict[Any, count[int]] = defaultdict(lambda: count(1))
        self._towns = [(prose.title(), *CENTRE)]
        for _ in range(events // EVENTS_PER_TOWN):
            place = (random.uniform(30, 48), random.uniform(-120, -75))
            self._towns.append((prose.title(), *place))
        shares = zip(INSTITUTIONS, INSTITUTION_WEIGHTS, strict=True)
        self.holdings = {
            institution: self._holdings(institution, events * weight // 100)
            for institution, weight in shares
        }

    def _holdings(self, institution: str, share: int) -> Holdings:
        venues = max(share // EVENTS_PER_VENUE, 8)
        organizers = max(share // EVENTS_PER_ORGANIZER, 6)
        categories: list[Term] = []
        for place in range(CATEGORIES):  # a tree, parents before their children
            parents = categories[: max(place // 3, ROOT_CATEGORIES)]
            parent = self.random.choice(parents) if place >= ROOT_CATEGORIES else None
            categories.append(self._term(institution, Taxonomy.CATEGORY, parent))
        return Holdings(
            images=[self._image(institution) for _ in range(IMAGES)],
            venues=[self._venue(institution) for _ in range(venues)],
            organizers=[self._organizer(institution) for _ in range(organizers)],
            categories=categories,
            tags=[self._term(institution, Taxonomy.TAG) for _ in range(TAGS)],
        )

    def _image(self, institution: str) -> Image:
        number = next(self._identifiers[Image])
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
            author_id=self.author,
            created_at=self.now,
            title=f"Picture {number}",
            width=1600,
            height=1200,
            file=f"{name}.jpg",
            filesize=self.random.randint(90_000, 400_000),
            mime_type="image/jpeg",
            sizes=sizes,
        )

    def _venue(self, institution: str) -> Venue:
        random = self.random
        city, latitude, longitude = random.choice(self._towns)
        return self._place(
            Venue,
            institution,
            address=f"{random.randint(1, 999)} {self.prose.words(1)[0].title()} Street",
            city=city,
            country="United States",
            state="OH",
            stateprovince="OH",
            zip=f"{random.randint(10_000, 99_999)}",
            geo_lat=round(random.gauss(latitude, TOWN_SPREAD_DEGREES), 6),
            geo_lng=round(random.gauss(longitude, TOWN_SPREAD_DEGREES), 6),
        )

    def _organizer(self, institution: str) -> Organizer:
        email = f"office@organizer-{self.random.randint(1, 9999)}.example"
        return self._place(Organizer, institution, email=email)

    def _place(self, model: Any, institution: str, **columns: Any) -> Any:
        number, name = next(self._identifiers[model]), model._meta.model_name
        record = model(
            id=number,
            institution=institution,
            author_id=self.author,
            slug=f"{name}-{number}",
            name=self.prose.title(),
            description=f"<p>{self.prose.sentence(18)}</p>",
            phone=f"+1 614 555 {self.random.randint(0, 9999):04}",
            website=f"https://{name}-{number}.example/",
            status=Status.PUBLISH,
            created_at=self.now,
            published_at=self.now,
            modified_at=self.now,
            **columns,
        )
        saving.render(record)
        return record

    def _term(
        self, institution: str, taxonomy: Taxonomy, parent: Term | None = None
    ) -> Term:
        number, word = next(self._identifiers[Term]), self.prose.words(1)[0]
        term = Term(
            id=number,
            institution=institution,
            taxonomy=taxonomy,
            name=f"{word.title()} {number}",
            slug=f"{slugs.from_title(word, fallback='term')}-{number}",
            description=f"About {word}.",
            parent_id=parent.pk if parent else None,
            created_at=self.now,
            modified_at=self.now,
        )
        saving.render(term)
        return term

    def store_events(self, first: int) -> None:
        """Store the chunk of events that begins with this identifier, and their links."""
        self.random.seed(f"{SEED} {first}")
        last = min(first + CHUNK - 1, self.events)
        events = [self._event(number) for number in range(first, last + 1)]
        links = [link for event in events for link in self._links(event)]
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                # One writer at a time, as in a calendar that grew: parallel ones would
                # leave several counter rows for each day.
                cursor.execute("SELECT pg_advisory_xact_lock(20261120)")
            bulk.store(events)
            for model in LINKS:
                bulk.store(link for link in links if isinstance(link, model))

    def _event(self, number: int) -> Event:
        random, prose = self.random, self.prose
        (institution,) = random.choices(INSTITUTIONS, INSTITUTION_WEIGHTS)
        (status,) = random.choices(list(STATUSES), list(STATUSES.values()))
        is_draft = status == Status.DRAFT
        zone = random.choice(ZONES)
        day = self.now + timedelta(days=random.randint(-DAYS_BACK, DAYS_AHEAD))
        if all_day := random.random() < 0.08:
            at, length = time(), timedelta(days=1, seconds=-1)
        else:
            at = time(random.randint(8, 21), random.choice((0, 15, 30)))
            length = timedelta(hours=random.randint(1, 4))
        start = datetime.combine(day, at)
        start_utc, end_utc = (
            clock.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
            for clock in (start, start + length)
        )
        before = timedelta(days=random.randint(5, 90))
        published = min(start_utc - before, self.now - timedelta(hours=1))
        has_excerpt, has_website, has_image = (
            random.random() < share for share in (0.3, 0.5, 0.4)
        )
        event = Event(
            id=number,
            institution=institution,
            author_id=self.author,
            title=prose.title(),
            slug="" if is_draft else f"event-{number}",
            description=prose.description(),
            excerpt=f"<p>{prose.sentence(14)}</p>" if has_excerpt else "",
            status=status,
            previous_status=Status.PUBLISH if status == Status.TRASH else "",
            published_at=None if is_draft else published,
            created_at=published,
            modified_at=published,
            start_local=start,
            end_local=start + length,
            start_utc=start_utc,
            end_utc=end_utc,
            timezone=zone,
            all_day=all_day,
            cost=random.choice(COSTS),
            website=f"https://event-{number}.example/" if has_website else "",
            hide_from_listings=random.random() < 0.01,
            featured=random.random() < 0.05,
            ticketed=random.random() < 0.2,
        )
        if has_image:
            event.image = random.choice(self.holdings[institution].images)
        saving.render(event)
        return event

    def _links(self, event: Event) -> Iterator[EventLink]:
        random, held = self.random, self.holdings[event.institution]
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
        terms = random.choices(held.categories, CATEGORY_WEIGHTS, k=random.randint(1, 2))
        terms += random.choices(held.tags, TAG_WEIGHTS, k=random.randint(0, 3))
        for position, term in enumerate(dict.fromkeys(term.pk for term in terms)):
            yield EventTerm(term_id=term, position=position, **copies)
