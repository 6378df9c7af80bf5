"""Free slugs, and the owners of the records that a write names."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from calendar_events.models import Event, Organizer, Status, Taxonomy, Term, Venue
from calendar_events.models.kinds import kind_for, kind_of
from calendar_events.parsing import slugs
from calendar_events.parsing.slugs import MAX_ID
from calendar_events.store import sql


def slugs_taken(
    record: Event | Organizer | Term | Venue, candidates: list[str]
) -> set[str]:
    """Return which slugs other rows have, among which they must be unique (primary)."""
    others = sql.Conditions()
    # As a list, not as an array: for that PostgreSQL would make a plan each time.
    others.add(f"slug IN ({', '.join(['%s'] * len(candidates))})", *candidates)
    others.add("NOT (slug = '')")  # the index of slugs leaves out the empty ones
    if record.pk is not None:
        others.add("id <> %s", record.pk)
    if isinstance(record, Term):
        others.add("taxonomy = %s", record.taxonomy)
        others.add("institution = %s", record.institution)
    table = record._meta.db_table
    rows = sql.write(f"SELECT slug FROM {table} WHERE {others}", others.params)
    return {slug for (slug,) in rows}


def owners(named: Mapping[str, Iterable[int]]) -> dict[tuple[str, int], tuple[str, str]]:
    """Return institution and status of records and terms, all in one statement.

    ``named``: identifiers by kind or taxonomy; so are the keys of the result. A term has
    no status, which is an empty text.
    """
    parts: list[str] = []
    params: list[Any] = []
    possible = {
        kind: sorted({pk for pk in ids if pk <= MAX_ID}) for kind, ids in named.items()
    }
    tables = {kind: kind_for(kind).model._meta.db_table for kind in named}
    for kind, table in tables.items():
        conditions = sql.Conditions()
        conditions.any_of("id", possible[kind])
        status = "status"
        if kind in Taxonomy.values:
            conditions.add("taxonomy = %s", kind)
            status = "''"
        if conditions.params:
            parts.append(
                f"SELECT '{kind}', id, institution, {status} "
                f"FROM {table} WHERE {conditions}"
            )
            params += conditions.params
    rows = sql.rows(" UNION ALL ".join(parts), params) if parts else []
    return {(kind, pk): (owner, status) for kind, pk, owner, status in rows}


AnyRecord = Event | Organizer | Term | Venue

TRASHED = "__trashed"
_TRASHED_SLUG = re.compile(rf"(.*){TRASHED}(?:-\d+)?")
MOST_AT_ONCE = 1000
_BASE_LENGTH = 240
"""Of a slug, before a date."""


def _free_slug(record: AnyRecord, preferred: str, besides: Collection[str]) -> str:
    """Return ``preferred`` or the first of ``preferred-2``, ``-3``, … that is free.

    Asked in growing batches, so that the ten-thousandth "Yoga" costs few statements.
    """
    candidates = slugs.candidates(preferred)
    size = 2
    while True:
        batch = list(islice(candidates, size))
        taken = slugs_taken(record, batch)
        for slug in batch:
            if slug not in taken and slug not in besides:
                return slug
        size = min(size * 8, MOST_AT_ONCE)


def take_slug(
    record: AnyRecord, preferred: str, besides: Collection[str] = frozenset()
) -> None:
    """Give the record the preferred slug or the next free one that is not ``besides``.

    The slug is locked to the end of the transaction, so that no other writer takes it
    between the look and the write.
    """
    table = type(record)._meta.db_table
    held, slug = "", preferred
    while held != slug:
        sql.advisory_lock("slug", table, slug)
        held, slug = slug, _free_slug(record, preferred, besides)
    record.slug = slug


def dated_slugs(base: str, walls: Sequence[datetime]) -> list[str]:
    """Return a slug for each date of a series: ``yoga-2031-01-06``.

    Of dates on one day, and where somebody has a slug already, it is empty: the next free
    one has to be looked for (``take_slug``). What somebody takes meanwhile is found by the
    constraint, and the write is tried again.
    """
    wanted = [f"{base[:_BASE_LENGTH]}-{wall:%Y-%m-%d}" for wall in walls]
    taken = _taken_of(wanted)
    free: list[str] = []
    for slug in wanted:
        free.append("" if slug in taken else slug)
        taken.add(slug)
    return free


def take_slugs(wanted: Sequence[tuple[Event, str]]) -> None:
    """Give each event the slug that it prefers or the next free one.

    As for ``dated_slugs`` the constraint finds what somebody takes meanwhile.
    """
    taken, given = _taken_of([slug for _, slug in wanted]), set[str]()
    for event, slug in wanted:
        if slug in taken or slug in given:
            take_slug(event, slug, given)
        else:
            event.slug = slug
        given.add(event.slug)


def _taken_of(candidates: Sequence[str]) -> set[str]:
    taken: set[str] = set()
    for start in range(0, len(candidates), MOST_AT_ONCE):
        taken |= slugs_taken(Event(), list(candidates[start : start + MOST_AT_ONCE]))
    return taken


def undated(slug: str, wall: datetime) -> str:
    """Return the slug that those of a series are made of, given that of one date."""
    return re.sub(rf"-{wall:%Y-%m-%d}(-\d+)?\Z", "", slug)


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
    # A title or name may be without a letter or digit.
    return slugs.from_plain(record.display_name, fallback=kind_of(record).singular)
