"""Slugs that no other row has, also when two writers want the same one at once."""

import re
from itertools import islice

from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.models.kinds import kind_of
from calendar_events.parsing import slugs
from calendar_events.store import locks
from calendar_events.store.lookups import slugs_taken

AnyRecord = Event | Organizer | Term | Venue

TRASHED = "__trashed"
_TRASHED_SLUG = re.compile(rf"(.*){TRASHED}(?:-\d+)?")
MOST_AT_ONCE = 1000


def _free_slug(record: AnyRecord, preferred: str) -> str:
    """Return ``preferred`` or the first of ``preferred-2``, ``-3``, … that is free.

    Asked in growing batches, so that the ten-thousandth "Yoga" costs few statements.
    """
    candidates = slugs.candidates(preferred)
    size = 2
    while True:
        batch = list(islice(candidates, size))
        taken = slugs_taken(record, batch)
        for slug in batch:
            if slug not in taken:
                return slug
        size = min(size * 8, MOST_AT_ONCE)


def take_slug(record: AnyRecord, preferred: str) -> None:
    """Give the record the preferred slug or the next free one.

    Who looks for a slug holds it until the end of the transaction, so that nobody takes it
    between the look and the write.
    """
    table = type(record)._meta.db_table
    held, slug = "", preferred
    while held != slug:
        locks.advisory_lock("slug", table, slug)
        held, slug = slug, _free_slug(record, preferred)
    record.slug = slug


def trashed(slug: str) -> str:
    """Return the slug of a record in the trash, which leaves its own to others."""
    if not slug or _TRASHED_SLUG.fullmatch(slug):
        return slug
    return f"{slug}{TRASHED}"


def restored(slug: str) -> str:
    """Return the slug that a record in the trash had before."""
    match = _TRASHED_SLUG.fullmatch(slug)
    return match[1] if match else slug


def needs_slug(record: AnyRecord) -> bool:
    """Return whether the record may not be without one: a draft waits for it."""
    waits = {Status.DRAFT, Status.PENDING}
    return not isinstance(record, Event) or record.status not in waits


def made_slug(record: AnyRecord) -> str:
    """Return the slug that is made of the title or name."""
    # A title or name may be without a letter or digit.
    return slugs.from_plain(record.display_name, fallback=kind_of(record).singular)
