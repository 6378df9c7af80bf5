"""Slugs that no other row has, also when two writers want the same one at once."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from calendar_events import links, locks, records, slugs, sql
from calendar_events.models import Term

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.links import Links
    from calendar_events.models import Event, Organizer, Venue

    AnyRecord = Event | Organizer | Term | Venue

TRASHED = "__trashed"
_TRASHED_SLUG = re.compile(rf"(.*){TRASHED}(?:-\d+)?")
MOST_AT_ONCE = 1000


def free(record: AnyRecord, wished: str) -> str:
    """Return ``wished`` or the first of ``wished-2``, ``wished-3``, … that is free.

    Asked in growing batches, so that the ten-thousandth "Yoga" costs few statements.
    """
    candidates = slugs.candidates(wished)
    size = 2
    while True:
        batch = list(islice(candidates, size))
        taken = _taken(record, batch)
        for slug in batch:
            if slug not in taken:
                return slug
        size = min(size * 8, MOST_AT_ONCE)


def _taken(record: AnyRecord, batch: list[str]) -> set[str]:
    """Return which slugs other rows have, among which they must be unique."""
    others = sql.Conditions()
    others.any_of("slug", batch)
    others.add("NOT (slug = '')")  # the index of slugs leaves out the empty ones
    if record.pk is not None:
        others.add("id <> %s", record.pk)
    if isinstance(record, Term):
        others.add("taxonomy = %s", record.taxonomy)
        others.add("institution = %s", record.institution)
    table = record._meta.db_table
    rows = sql.write(
        f"SELECT slug FROM {table} WHERE {others}",  # noqa: S608 -- constants
        others.params,
    )
    return {slug for (slug,) in rows}


def save(
    record: AnyRecord,
    *,
    wished: str,
    now: datetime,
    wanted: Links = links.NO_CHANGE,
) -> None:
    """Save the record under the wished slug or the next free one.

    Who looks for a slug holds it until the end of the transaction, so that nobody takes it
    between the look and the write. Raises what ``records.save`` raises.
    """
    table = type(record)._meta.db_table
    held, slug = "", wished
    while held != slug:
        locks.hold("slug", table, slug)
        held, slug = slug, free(record, wished)
    record.slug = slug
    records.save(record, now=now, wanted=wanted)


def trashed(slug: str) -> str:
    """Return the slug of a record in the trash, which leaves its own to others."""
    if not slug or _TRASHED_SLUG.fullmatch(slug):
        return slug
    return f"{slug}{TRASHED}"


def restored(slug: str) -> str:
    """Return the slug that a record in the trash had before."""
    match = _TRASHED_SLUG.fullmatch(slug)
    return match[1] if match else slug
