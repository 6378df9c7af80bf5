"""Fill one database with a calendar, in chunks that do not depend on each other."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from contextlib import nullcontext
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, Final

import django
from django.db import connection, connections

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED: Final = "a calendar of any size"
CHUNK: Final = 5_000
ORIGINALS: Final = 100_000
"""Events beyond these are twins of them."""

_state: dict[str, Any] = {}


def _planner(events: int, author: int, now: datetime) -> Any:
    # Models cannot be imported before Django is set up, which a new process does first.
    from benchmarks.seed.events import Planner  # noqa: PLC0415
    from benchmarks.seed.words import Prose  # noqa: PLC0415
    from benchmarks.seed.world import make  # noqa: PLC0415

    random = Random(SEED)  # noqa: S311 -- repeatable is the point
    prose = Prose(random)
    world = make(random, prose, events=events, author=author, now=now)
    return Planner(random, prose, world, author=author, now=now)


def _prepare_process(events: int, author: int, now: datetime) -> None:
    django.setup()
    _state["planner"] = _planner(events, author, now)


def _store_chunk(bounds: tuple[int, int]) -> int:
    from benchmarks.seed import bulk  # noqa: PLC0415 -- as above

    first, last = bounds
    planner = _state["planner"]
    planner.random.seed(f"{SEED} {first}")
    planned = list(planner.plan(first, last))
    bulk.store(
        [item.event for item in planned] + [link for item in planned for link in item.links]
    )
    return last - first + 1


def fill(
    *,
    events: int,
    author: int,
    jobs: int = 0,
    quiet: bool = False,
    originals: int = ORIGINALS,
) -> None:
    """Store the world and ``events`` events; twice is an error, not more events.

    The same size on the same day gives the same calendar.
    """
    from benchmarks.seed import bulk, twins  # noqa: PLC0415
    from calendar_events.models import (  # noqa: PLC0415 -- as above
        Event,
        EventOrganizer,
        EventTerm,
        EventVenue,
        Image,
        Organizer,
        Term,
        Venue,
    )

    now = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    began = time.monotonic()
    planner = _planner(events, author, now)
    _state["planner"] = planner
    for held in planner.world.values():
        for rows in (held.images, held.venues, held.organizers, held.categories, held.tags):
            bulk.store(rows)
    originals = min(events, originals)
    chunks = list(_spans(1, originals, CHUNK))
    jobs = jobs or (os.cpu_count() or 1 if connection.vendor == "postgresql" else 1)
    jobs = min(jobs, len(chunks))
    large = events > CHUNK
    links = (EventVenue, EventOrganizer, EventTerm)
    tables = [model._meta.db_table for model in (Event, *links)]
    # Triggers fill this one (``search.postgresql.sql``), on PostgreSQL.
    tables.append("calendar_events_eventsearch")
    with bulk.without_indexes(*tables) if large else nullcontext():
        done = 0
        for stored in _stored(chunks, jobs, (events, author, now)):
            done += stored
            if not quiet:
                _progress(done, events, began)
        for first, last in _spans(originals + 1, events, originals):
            twins.copy_events(originals=originals, first=first, last=last)
            if not quiet:
                _progress(last, events, began)
        if not quiet and large:
            sys.stderr.write("  indexes ...\n")
    bulk.reset_sequences(Event, *links, Image, Organizer, Term, Venue)
    if large:
        bulk.analyze()


def _spans(first: int, last: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield bounds of consecutive spans of at most ``size``, both ends included."""
    for start in range(first, last + 1, size):
        yield start, min(start + size - 1, last)


def _stored(
    chunks: list[tuple[int, int]], jobs: int, arguments: tuple[int, int, datetime]
) -> Any:
    if jobs == 1:
        yield from map(_store_chunk, chunks)
        return
    connections.close_all()
    with multiprocessing.get_context("spawn").Pool(
        jobs, _prepare_process, arguments
    ) as pool:
        yield from pool.imap_unordered(_store_chunk, chunks)


def _progress(done: int, events: int, began: float) -> None:
    seconds = time.monotonic() - began
    sys.stderr.write(f"  {done:>9,} of {events:,} events, {seconds:.0f} s\n")
    sys.stderr.flush()
