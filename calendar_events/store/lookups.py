"""Look up whether what a filter names is there, and may be named by this viewer.

An identifier of something the viewer may not see counts as unknown, so that a filter is no
way to find out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.models import (
    Event,
    Organizer,
    Status,
    Taxonomy,
    Term,
    Venue,
    visibility,
)
from calendar_events.parsing.identifiers import MAX_ID
from calendar_events.store import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from calendar_events.models.visibility import Viewer
    from calendar_events.parsing.values import Token

KINDS: dict[str, type[Event | Venue | Organizer]] = {
    visibility.EVENT: Event,
    visibility.VENUE: Venue,
    visibility.ORGANIZER: Organizer,
}
_TREE = """
WITH RECURSIVE tree(id, parent_id, slug) AS (
    SELECT id, parent_id, slug FROM calendar_events_term
    WHERE taxonomy = %s AND ({roots})
    UNION
    SELECT t.id, t.parent_id, t.slug FROM calendar_events_term t
    JOIN tree ON t.parent_id = tree.id
)
SELECT id, parent_id, slug FROM tree
"""


class Refused(ValueError):
    """A list cannot be filtered by this; the message says why."""


class Unknown(Refused):
    """Nothing has one of the identifiers or slugs; the message names them."""

    def __init__(self, names: Iterable[object]) -> None:
        """Name what is not there."""
        super().__init__(f"There is no {', '.join(map(str, names))}.")


def require(kind: str, ids: Sequence[int], viewer: Viewer, now: datetime) -> None:
    """Require that records are there and may be read. Raises ``Unknown``."""
    _require(KINDS[kind].objects.visible_to(viewer, now), ids)


def require_statuses(statuses: Iterable[str], kind: str, viewer: Viewer) -> None:
    """Raise ``Refused`` unless the viewer may list records in these statuses."""
    asked = set(statuses)
    if unknown := sorted(asked - set(Status.values)):
        raise Refused(f"There is no status {', '.join(unknown)}.")
    if asked != {Status.PUBLISH} and not viewer.sees_statuses(kind):
        raise Refused("Only publish may be asked for.")


def require_terms(taxonomy: Taxonomy, ids: Sequence[int]) -> None:
    """Require that terms of a taxonomy are there. Raises ``Unknown``."""
    _require(Term.objects.filter(taxonomy=taxonomy), ids)


def _require(rows: QuerySet[Any], ids: Sequence[int]) -> None:
    found = set(rows.filter(id__in=_possible(ids)).values_list("id", flat=True))
    if missing := [pk for pk in dict.fromkeys(ids) if pk not in found]:
        raise Unknown(missing)


def _possible(ids: Iterable[int]) -> set[int]:
    """Return the identifiers that a row can have."""
    return {pk for pk in ids if pk <= MAX_ID}


def term_ids(taxonomy: Taxonomy, tokens: Sequence[Token]) -> set[int]:
    """Return the terms that tokens name, and everything under them.

    All digits are an identifier first, then a slug; a slug names its term in every
    institution. Raises ``Unknown``.
    """
    slugs = [token.slug for token in tokens]
    numbers = [token.pk for token in tokens if token.pk is not None]
    roots = f"slug IN ({_marks(slugs)})"
    if numbers:
        roots += f" OR id IN ({_marks(numbers)})"
    # The plan for one term, which is what is asked for most, is worth keeping.
    rows = sql.rows(
        _TREE.format(roots=roots),
        [str(taxonomy), *slugs, *numbers],
        prepare=len(tokens) == 1,
    )
    by_id = {pk for pk, _, _ in rows}
    by_slug: dict[str, set[int]] = {}
    children: dict[int, set[int]] = {}
    for pk, parent, slug in rows:
        by_slug.setdefault(slug, set()).add(pk)
        children.setdefault(parent, set()).add(pk)
    named: set[int] = set()
    missing = []
    for token in tokens:
        if token.pk in by_id:
            named.add(token.pk or 0)
        elif token.slug in by_slug:
            named |= by_slug[token.slug]
        else:
            missing.append(token.text)
    if missing:
        raise Unknown(missing)
    return _with_descendants(named, children)


def _with_descendants(named: set[int], children: dict[int, set[int]]) -> set[int]:
    found, newest = set(named), set(named)
    while newest:
        newest = {pk for parent in newest for pk in children.get(parent, ())} - found
        found |= newest
    return found


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


def owners(asked: Mapping[str, Iterable[int]]) -> dict[tuple[str, int], tuple[str, str]]:
    """Return institution and status of records and terms, all in one statement.

    ``asked``: identifiers by kind or taxonomy; so are the keys of the result. A term has
    no status, which is an empty text.
    """
    parts: list[str] = []
    params: list[Any] = []
    for kind, ids in asked.items():
        conditions = sql.Conditions()
        conditions.any_of("id", sorted(_possible(ids)))
        if kind in Taxonomy.values:
            conditions.add("taxonomy = %s", kind)
            status, table = "''", "term"
        else:
            status, table = "status", kind
        if conditions.params:
            parts.append(
                f"SELECT '{kind}', id, institution, {status} "
                f"FROM calendar_events_{table} WHERE {conditions}"
            )
            params += conditions.params
    rows = sql.rows(" UNION ALL ".join(parts), params) if parts else []
    return {(kind, pk): (owner, status) for kind, pk, owner, status in rows}
