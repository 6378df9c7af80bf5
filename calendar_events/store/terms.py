"""Categories and tags as answers, each with its number of published events."""

from datetime import datetime
from typing import Any, NamedTuple

from calendar_events.models import Taxonomy, Term
from calendar_events.models.querysets.base import ListQuerySet
from calendar_events.models.visibility import ANONYMOUS
from calendar_events.store import lists


class TermRow(NamedTuple):
    """What the answer needs of a term."""

    id: int
    version: int
    taxonomy: str
    modified_at: Any
    name: str
    slug: str
    description: str
    parent_id: int | None
    number: int
    """How many published events have it."""


def rows(terms: ListQuerySet, *, limit: int, offset: int) -> tuple[list[TermRow], int]:
    """Return a page of terms, and how many there are in all."""
    page, total = lists.fetch(
        terms, TermRow._fields[:-1], limit=limit, offset=offset, annotations=["number"]
    )
    return [TermRow(*row) for row in page], total


def by_id(taxonomy: Taxonomy, pk: int, now: datetime) -> TermRow | None:
    """Return one term."""
    terms = Term.objects.listed_for(ANONYMOUS, now, taxonomy=taxonomy)
    named, _ = rows(terms.hiding_empty(wanted=False).filter(pk=pk), limit=1, offset=0)
    return named[0] if named else None
