"""Slugs that no other row has, also when two writers want the same one at once."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from calendar_events import records, slugs

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from calendar_events.models import Event, Organizer, Term, Venue

    AnyRecord = Event | Organizer | Term | Venue

TRASHED = "__trashed"
_TRASHED_SLUG = re.compile(rf"(.*){TRASHED}(?:-\d+)?")
ATTEMPTS = 100
MOST_AT_ONCE = 1000


class NoFreeSlug(Exception):
    """Others took every slug that was tried; the writer may try again."""


def free(others: QuerySet, wished: str) -> str:
    """Return ``wished`` or the first of ``wished-2``, ``wished-3``, … not among ``others``.

    Asked in growing batches, so that the ten-thousandth "Yoga" costs few statements.
    """
    candidates = slugs.candidates(wished)
    size = 2
    while True:
        batch = list(islice(candidates, size))
        taken = set(others.filter(slug__in=batch).values_list("slug", flat=True))
        for slug in batch:
            if slug not in taken:
                return slug
        size = min(size * 8, MOST_AT_ONCE)


def save(
    record: AnyRecord,
    *,
    wished: str,
    others: QuerySet,
    now: datetime,
    links: records.Links = records.NO_CHANGE,
) -> None:
    """Save the record under the wished slug or the next free one.

    Between the look and the write another writer may take the slug; then the unique
    constraint refuses it, and the next one is tried.

    Raises ``NoFreeSlug`` and what ``records.save`` raises.
    """
    seen = record.version, record.modified_at
    for _ in range(ATTEMPTS):
        record.slug = free(others, wished)
        try:
            with transaction.atomic():
                records.save(record, now=now, links=links)
        except IntegrityError:
            if not others.filter(slug=record.slug).exists():
                raise  # another constraint
            record.version, record.modified_at = seen
        else:
            return
    raise NoFreeSlug(f"No slug like {wished} could be had.")


def trashed(slug: str) -> str:
    """Return the slug of a record in the trash, which leaves its own to others."""
    if not slug or _TRASHED_SLUG.fullmatch(slug):
        return slug
    return f"{slug}{TRASHED}"


def restored(slug: str) -> str:
    """Return the slug that a record in the trash had before."""
    match = _TRASHED_SLUG.fullmatch(slug)
    return match[1] if match else slug
