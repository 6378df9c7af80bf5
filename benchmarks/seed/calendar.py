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

_state: dict[str, Any] = {}


def _prepare_process(events: int, author: int, now: datetime) -> None:
    # Models cannot be imported before Django is set up, which a new process does first.
    django.setup()
    from benchmarks.seed.events import Planner  # noqa: PLC0415
    from benchmarks.seed.words import Prose  # noqa: PLC0415
    from benchmarks.seed.world import Maker  # noqa: PLC0415

    random = Random(SEED)  # noqa: S311 -- repeatable is the point
    prose = Prose(random)
    world = Maker(random, prose, events=events, author=author, now=now).world()
    _state["planner"] = Planner(random, prose, world, author=author, now=now)


def _store_chunk(first_and_last: tuple[int, int]) -> int:
    from benchmarks.seed import bulk  # noqa: PLC0415 -- as above

    first, last = first_and_last
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
    now: datetime | None = None,
    different: int = 0,
) -> None:
    """Store ``events`` events and what they refer to, by so many processes (0: all cores).

    The same number on the same day gives the same calendar. Twice is an error. Of
    ``different`` events, if given, the others are copies, a minute later each: their stored
    answers are those of the first, which admin does not read.
    """
    from benchmarks.seed import bulk  # noqa: PLC0415 -- as above
    from calendar_events import models  # noqa: PLC0415 -- as above

    today = (now or datetime.now(UTC)).replace(hour=0, minute=0, second=0, microsecond=0)
    _prepare_process(events, author, today)
    for held in _state["planner"].world.values():
        for rows in (held.images, held.venues, held.organizers, held.categories, held.tags):
            bulk.store(rows)
    planned = min(different or events, events)
    chunks = [
        (first, min(first + CHUNK - 1, planned)) for first in range(1, planned + 1, CHUNK)
    ]
    is_large = len(chunks) > 1
    stored = (
        models.Event,
        models.EventVenue,
        models.EventOrganizer,
        models.EventTerm,
    )
    tables = [model._meta.db_table for model in stored]
    tables.append("calendar_events_eventsearch")  # which triggers fill
    began, done = time.monotonic(), 0
    with bulk.without_indexes(*tables) if is_large else nullcontext():
        for count in _stored(chunks, jobs, (events, author, today)):
            done += count
            if is_large:
                seconds = time.monotonic() - began
                sys.stderr.write(f"  {done:>9,} of {events:,} events, {seconds:.0f} s\n")
        if planned < events:
            _repeat(planned, events // planned - 1)
            seconds = time.monotonic() - began
            sys.stderr.write(f"  {events:>9,} of {events:,} events, {seconds:.0f} s\n")
    bulk.reset_sequences(*stored, models.Image, models.Organizer, models.Term, models.Venue)
    bulk.analyze()


def _repeat(planned: int, times: int) -> None:
    """Store each event so many times more, with its links."""
    from benchmarks.seed import bulk  # noqa: PLC0415 -- as above
    from calendar_events import models  # noqa: PLC0415 -- as above

    later = {"start_utc": "o.start_utc + n * interval '1 minute'"}
    bulk.repeat(
        models.Event,
        times,
        **later,
        id=f"o.id + n * {planned}",
        slug="CASE WHEN o.slug = '' THEN '' ELSE o.slug || '-' || n END",
        **{
            name: f"o.{name} + n * interval '1 minute'"
            for name in ("start_local", "end_local", "end_utc")
        },
    )
    for link in (models.EventVenue, models.EventOrganizer, models.EventTerm):
        bulk.repeat(link, times, **later, event_id=f"o.event_id + n * {planned}")


def _stored(
    chunks: list[tuple[int, int]], jobs: int, arguments: tuple[int, int, datetime]
) -> Iterator[int]:
    if connection.vendor != "postgresql" or jobs == 1 or len(chunks) == 1:
        yield from map(_store_chunk, chunks)
        return
    connections.close_all()
    context = multiprocessing.get_context("spawn")
    jobs = min(jobs or os.cpu_count() or 1, len(chunks))
    with context.Pool(jobs, _prepare_process, arguments) as pool:
        yield from pool.imap_unordered(_store_chunk, chunks)
