"""Lists and singles of categories and tags, each with its number of published events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events.models import Taxonomy, visibility
from calendar_events.models.visibility import LISTED
from calendar_events.store import lookups, sql
from calendar_events.store.ordering import TERM_COLUMNS, Order, order
from calendar_events.store.visibility import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from calendar_events.models.visibility import Viewer

KINDS = {Taxonomy.CATEGORY: "category", Taxonomy.TAG: "tag"}

# A term's number is what triggers keep, less what time has not published yet.
_COUNTED = f"""WITH scheduled AS MATERIALIZED (
  SELECT x.term_id, COUNT(*) AS number
  FROM calendar_events_event e JOIN calendar_events_eventterm x ON x.event_id = e.id
  WHERE {text_of(LISTED, "e")} AND e.published_at > %s
    AND x.listed
  GROUP BY x.term_id
), counted AS MATERIALIZED (
  SELECT t.id, t.sort_text, t.slug,
    CAST(COALESCE((SELECT SUM(d.number) FROM calendar_events_daycount d
      WHERE d.scope = 'term:' || t.id AND d.day = '0001-01-01'), 0)
    - COALESCE((SELECT s.number FROM scheduled s WHERE s.term_id = t.id), 0)
    AS integer) AS number
  FROM calendar_events_term t WHERE {{conditions}}
), found AS (SELECT id, {{column}} AS k, number FROM counted WHERE number >= {{least}})"""
_PAGE = """
SELECT n.total, r.id, r.version, r.taxonomy, r.modified_at, r.name, r.slug, r.description,
  r.parent_id, p.number
FROM (SELECT COUNT(*) AS total FROM found) n
LEFT JOIN (SELECT id, k, number FROM found
  ORDER BY k {direction}, id {direction} LIMIT {limit} OFFSET {offset}) p ON 1 = 1
LEFT JOIN calendar_events_term r ON r.id = p.id
ORDER BY p.k {direction}, p.id {direction}"""
_OF_EVENT = """t.id IN (SELECT x.term_id FROM calendar_events_eventterm x
  JOIN calendar_events_event e ON e.id = x.event_id
  WHERE x.event_id = %s AND e.password = '')"""


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


class TermQuery(NamedTuple):
    """A list of terms: its conditions, its order, whether unused terms are in it."""

    conditions: sql.Conditions
    order: Order
    hide_empty: bool


class TermPage(NamedTuple):
    """One page and how many there are in all."""

    rows: list[TermRow]
    total: int


def by_id(taxonomy: Taxonomy, pk: int, now: datetime) -> TermRow | None:
    """Return one term."""
    conditions = sql.Conditions()
    conditions.add("t.taxonomy = %s", taxonomy)
    conditions.add("t.id = %s", pk)
    query = TermQuery(conditions, Order("id"), hide_empty=False)
    rows = fetch(query, now=now, limit=1, offset=0).rows
    return rows[0] if rows else None


def fetch(query: TermQuery, *, now: datetime, limit: int, offset: int) -> TermPage:
    """Return a page of terms and the exact total, as of one moment."""
    statement = (_COUNTED + _PAGE).format(
        conditions=query.conditions,
        column=query.order.column,
        least=1 if query.hide_empty else 0,
        direction=query.order.direction,
        limit=limit,
        offset=offset,
    )
    params = [sql.moment(now), *query.conditions.params]
    rows = sql.rows(statement, params, prepare=False)
    found = [TermRow(*row[1:]) for row in rows if row[1] is not None]
    return TermPage(rows=found, total=rows[0][0])


def term_query(
    values: Mapping[str, Any], *, taxonomy: Taxonomy, viewer: Viewer, now: datetime
) -> tuple[TermQuery, dict[str, str]]:
    """Return the terms that parameters ask for, and what is wrong by name."""
    conditions = sql.Conditions()
    conditions.add("t.taxonomy = %s", taxonomy)
    for name, column in (("include", "t.id"), ("parent", "t.parent_id")):
        if name in values:
            conditions.any_of(column, _listed(values[name]))
    if "exclude" in values:
        conditions.any_of("t.id", values["exclude"], negated=True)
    if "slug" in values:
        marks = ", ".join(["%s"] * len(values["slug"]))
        conditions.add(f"t.slug IN ({marks})", *values["slug"])
    if "institution" in values:
        conditions.add("t.institution = %s", values["institution"])
    if "search" in values:
        conditions.contains("t.search_text", values["search"])
    if "post" in values or "event" in values:
        # Two names of one filter; the terms of a protected event are among what its
        # password protects.
        conditions.add(_OF_EVENT, values.get("event", values.get("post")))
    query = TermQuery(
        conditions,
        order(values, TERM_COLUMNS, Order("sort_text")),
        hide_empty=values.get("hide_empty", True),
    )
    return query, _unknown(values, taxonomy, viewer, now)


def _unknown(
    values: Mapping[str, Any], taxonomy: Taxonomy, viewer: Viewer, now: datetime
) -> dict[str, str]:
    """Return which parameters name terms or events that are not there."""
    problems: dict[str, str] = {}
    for name in ("include", "exclude", "parent", "post", "event"):
        if name not in values:
            continue
        ids = _listed(values[name])
        try:
            if name in {"post", "event"}:
                lookups.require(visibility.EVENT, ids, viewer, now)
            else:
                lookups.require_terms(taxonomy, ids)
        except lookups.Unknown as unknown:
            problems[name] = str(unknown)
    return problems


def _listed(value: Any) -> list[int]:
    return value if isinstance(value, list) else [value]
