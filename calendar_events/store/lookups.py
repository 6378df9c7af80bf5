"""Look up what a write needs to know of other records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from calendar_events.models import Event, Organizer, Taxonomy, Term, Venue
from calendar_events.models.kinds import kind_for
from calendar_events.parsing.identifiers import MAX_ID
from calendar_events.store import sql


def _possible(ids: Iterable[int]) -> set[int]:
    """Return the identifiers that a row can have."""
    return {pk for pk in ids if pk <= MAX_ID}


def _marks(values: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(values))


def slugs_taken(
    record: Event | Organizer | Term | Venue, candidates: list[str]
) -> set[str]:
    """Return which slugs other rows have, among which they must be unique (primary)."""
    others = sql.Conditions()
    # As a list, not as an array: for that PostgreSQL would make a plan each time.
    others.add(f"slug IN ({_marks(candidates)})", *candidates)
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
    for kind, ids in named.items():
        conditions = sql.Conditions()
        conditions.any_of("id", sorted(_possible(ids)))
        status = "status"
        if kind in Taxonomy.values:
            conditions.add("taxonomy = %s", kind)
            status = "''"
        table = kind_for(kind).model._meta.db_table
        if conditions.params:
            parts.append(
                f"SELECT '{kind}', id, institution, {status} "
                f"FROM {table} WHERE {conditions}"
            )
            params += conditions.params
    rows = sql.rows(" UNION ALL ".join(parts), params) if parts else []
    return {(kind, pk): (owner, status) for kind, pk, owner, status in rows}
