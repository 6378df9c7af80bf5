"""Lists and singles of categories and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import CharField, Count, IntegerField, OuterRef, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat

from calendar_events import sql, viewers
from calendar_events.documents.addresses import ROOT, Address
from calendar_events.models import DayCount, EventTerm, Status, Taxonomy, Term
from calendar_events.queries import lookups
from calendar_events.queries.ordering import TERM_COLUMNS, Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from calendar_events.viewers import Viewer

COLLECTIONS = {Taxonomy.CATEGORY: "categories", Taxonomy.TAG: "tags"}
KINDS = {Taxonomy.CATEGORY: "category", Taxonomy.TAG: "tag"}
_LOOKUPS = {
    "include": "id__in",
    "parent": "parent",
    "slug": "slug__in",
    "institution": "institution",
    "search": "search_text__contains",
}
ALL = "0001-01-01"
"""The day under which the whole scope is counted."""


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


def by_id(taxonomy: Taxonomy, pk: int, now: datetime) -> TermRow | None:
    """Return one term."""
    if pk > sql.MAX_ID:
        return None
    rows = _counted(Term.objects.filter(taxonomy=taxonomy, id=pk), now)
    row = rows.values_list(*TermRow._fields).first()
    return TermRow(*row) if row else None


def by_ids(ids: Sequence[int], now: datetime) -> list[TermRow]:
    """Return terms in the given order."""
    rows = _counted(Term.objects.filter(id__in=ids), now).values_list(*TermRow._fields)
    found = {row[0]: TermRow(*row) for row in rows}
    return [found[pk] for pk in ids if pk in found]


def term_query(
    values: Mapping[str, Any], *, taxonomy: Taxonomy, viewer: Viewer, now: datetime
) -> tuple[QuerySet[Term], Order, dict[str, str]]:
    """Return the terms that parameters ask for, their order, and what is wrong by name."""
    terms = _counted(Term.objects.filter(taxonomy=taxonomy), now)
    problems = _unknown(values, taxonomy, viewer, now)
    for name in ("post", "event"):
        if name in values:
            # Its terms are among what an event's password protects.
            links = EventTerm.objects.filter(event=values[name], event__password="")
            terms = terms.filter(id__in=links.values("term"))
    for name, lookup in _LOOKUPS.items():
        if name in values:
            terms = terms.filter(**{lookup: values[name]})
    if "exclude" in values:
        terms = terms.exclude(id__in=values["exclude"])
    if values.get("hide_empty", True):
        terms = terms.filter(number__gt=0)
    return terms, order(values, TERM_COLUMNS, Order("sort_text")), problems


def _unknown(
    values: Mapping[str, Any], taxonomy: Taxonomy, viewer: Viewer, now: datetime
) -> dict[str, str]:
    """Return which parameters name terms or events that are not there."""
    problems: dict[str, str] = {}
    for name in ("include", "exclude", "parent", "post", "event"):
        if name not in values:
            continue
        ids = values[name] if isinstance(values[name], list) else [values[name]]
        try:
            if name in {"post", "event"}:
                lookups.require(viewers.EVENT, ids, viewer, now)
            else:
                lookups.require_terms(taxonomy, ids)
        except lookups.Unknown as unknown:
            problems[name] = str(unknown)
    return problems


def _counted(terms: QuerySet[Term], now: datetime) -> QuerySet[Any]:
    """Count the published events of each term: what is kept less what is only scheduled."""
    kept = (
        DayCount.objects.filter(
            day=ALL,
            scope=Concat(
                Value("term:"), Cast(OuterRef("pk"), CharField()), output_field=CharField()
            ),
        )
        .order_by()
        .values("scope")
        .values(total=Sum("number"))
    )
    scheduled = (
        EventTerm.objects.filter(
            term=OuterRef("pk"),
            listed=True,
            event__hide_from_listings=False,
            event__status=Status.PUBLISH,
            event__published_at__gt=now,
        )
        .order_by()
        .values("term")
        .values(total=Count("*"))
    )
    nothing = Value(0)
    return terms.annotate(
        number=Coalesce(Subquery(kept, output_field=IntegerField()), nothing)
        - Coalesce(Subquery(scheduled, output_field=IntegerField()), nothing)
    )


def document(row: TermRow) -> dict[str, Any]:
    """Return a term as its own answer (``contract/events-observed.md`` 2.5)."""
    taxonomy = Taxonomy(row.taxonomy)
    collection = COLLECTIONS[taxonomy]
    urls = {
        "self": Address(ROOT, f"/{collection}/{row.id}"),
        "collection": Address(ROOT, f"/{collection}"),
    }
    found: dict[str, Any] = {
        "id": row.id,
        "count": row.number,
        "description": row.description,
        "name": row.name,
        "slug": row.slug,
        "taxonomy": row.taxonomy,
    }
    if taxonomy is Taxonomy.CATEGORY:
        found["parent"] = row.parent_id or 0
    if row.parent_id:
        urls["up"] = Address(ROOT, f"/{collection}/{row.parent_id}")
    found["meta"] = []
    found["url"] = Address(ROOT, f"/events?{collection}={row.slug}")
    found["urls"] = urls
    return found
