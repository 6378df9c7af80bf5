"""The identifiers of one page of a QuerySet and its total, in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import F
from django.db.models.functions import Coalesce

from calendar_events.store import sql

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from calendar_events.store.ordering import Order

_STATEMENT = """WITH found AS MATERIALIZED ({found})
SELECT t.number, p.id FROM (SELECT COUNT(*) AS number FROM found) t
LEFT JOIN (SELECT id, k FROM found
  ORDER BY k {direction}, id {direction} LIMIT {limit} OFFSET {offset}) p ON 1 = 1
ORDER BY p.k {direction}, p.id {direction}"""


class Slice(NamedTuple):
    """Which rows are on the page, in order, and how many there are in all."""

    ids: list[int]
    total: int


def slice_of(queryset: QuerySet[Any], order: Order, *, limit: int, offset: int) -> Slice:
    """Return a page of identifiers and the exact total, as of one moment."""
    keyed = queryset.order_by().annotate(k=_key(order.column)).values_list("id", "k")
    found, params = keyed.query.get_compiler(sql.connection().alias).as_sql()
    statement = _STATEMENT.format(
        found=found, direction=order.direction, limit=limit, offset=offset
    )
    rows = sql.rows(statement, params, prepare=False)
    return Slice(ids=[pk for _, pk in rows if pk is not None], total=rows[0][0])


def _key(column: str) -> Any:
    """Return what is sorted by; what was never published counts from its creation."""
    return Coalesce("published_at", "created_at") if column == "published_at" else F(column)
