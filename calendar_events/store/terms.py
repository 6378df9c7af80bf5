"""Lists and singles of categories and tags, each with its number of published events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from django.db.models import Q

from calendar_events.documents import term_answer
from calendar_events.models import EventTerm, Taxonomy, Term
from calendar_events.models.visibility import ANONYMOUS, EVENT, LISTED
from calendar_events.store import lookups, sql
from calendar_events.store.lists import Asked, ListQuerySet, Page
from calendar_events.store.ordering import TERM_COLUMNS, Order, order
from calendar_events.store.visibility import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from calendar_events.models.visibility import Viewer

BY_NAME = Order("sort_text")
EVERYTHING = Q()
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
  FROM ({{terms}}) t
), found AS (SELECT id, {{column}} AS k, number FROM counted WHERE number >= {{least}})"""
_PAGE = """
SELECT n.total, r.id, r.version, r.taxonomy, r.modified_at, r.name, r.slug, r.description,
  r.parent_id, p.number
FROM (SELECT COUNT(*) AS total FROM found) n
LEFT JOIN (SELECT id, k, number FROM found
  ORDER BY k {direction}, id {direction} LIMIT {limit} OFFSET {offset}) p ON 1 = 1
LEFT JOIN calendar_events_term r ON r.id = p.id
ORDER BY p.k {direction}, p.id {direction}"""


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


@dataclass(frozen=True, kw_only=True)
class TermQuery(Asked):
    """Which terms a list shows, who sees their events, and in what order."""

    taxonomy: Taxonomy
    viewer: Viewer
    now: datetime
    hides_empty: bool = True
    """Whether terms that no published event has are left out of pages."""
    event: int | None = None
    """The event whose terms they are, if they must be one's."""
    where: Q = EVERYTHING
    order: Order = BY_NAME

    def condition(self) -> Q:
        """Return which terms they are, but for the empty ones, as a condition."""
        found = self.where & Q(taxonomy=self.taxonomy)
        if self.event is not None:
            # The terms of a protected event are among what its password protects.
            links = EventTerm.objects.filter(event=self.event, event__password="")
            found &= Q(pk__in=links.values("term"))
        return found


class ListedTerms(ListQuerySet):
    """Categories or tags as lists show them."""

    asked: TermQuery

    def listed_for(self, viewer: Viewer, now: datetime, *, taxonomy: Taxonomy) -> Self:
        """Keep the terms of a taxonomy, which everybody sees."""
        return self.asking(TermQuery(taxonomy=taxonomy, viewer=viewer, now=now))

    def hiding_empty(self, *, wanted: bool) -> Self:
        """Leave out terms that no published event has, or show them too."""
        return self.asking(self.asked.but(hides_empty=wanted))

    def among(self, ids: Sequence[int]) -> Self:
        """Keep these terms. Raises ``lookups.Unknown``."""
        lookups.require_terms(self.asked.taxonomy, ids)
        return self._where(Q(pk__in=ids))

    def without(self, ids: Sequence[int]) -> Self:
        """Leave these terms out. Raises ``lookups.Unknown``."""
        lookups.require_terms(self.asked.taxonomy, ids)
        return self._where(~Q(pk__in=ids))

    def under(self, pk: int) -> Self:
        """Keep what is directly under a category. Raises ``lookups.Unknown``."""
        lookups.require_terms(self.asked.taxonomy, [pk])
        return self._where(Q(parent=pk))

    def of_event(self, pk: int) -> Self:
        """Keep the terms of an event, the last one named. Raises ``lookups.Unknown``."""
        lookups.require(EVENT, [pk], self.asked.viewer, self.asked.now)
        return self.asking(self.asked.but(event=pk))

    def with_slugs(self, slugs: Sequence[str]) -> Self:
        """Keep terms with one of these slugs."""
        return self._where(Q(slug__in=slugs))

    def containing(self, folded: str) -> Self:
        """Keep those with a text in name or slug."""
        return self._where(Q(search_text__contains=folded))

    def of_institution(self, registry_id: str) -> Self:
        """Keep what belongs to an institution."""
        return self._where(Q(institution=registry_id))

    def sorted_by(self, values: Mapping[str, Any]) -> Self:
        """Sort as ``orderby`` and ``order`` ask for, else by name."""
        found = order(values, TERM_COLUMNS, BY_NAME)
        return self.asking(self.asked.but(order=found))

    def page(self, *, limit: int, offset: int) -> Page:
        """Return a page of documents."""
        rows, total = self.rows(limit=limit, offset=offset)
        return Page([term_answer(row) for row in rows], total)

    def _where(self, condition: Q) -> Self:
        return self.asking(self.asked.but(where=self.asked.where & condition))

    def rows(self, *, limit: int, offset: int) -> tuple[list[TermRow], int]:
        """Return a page of terms and the exact total, as of one moment."""
        asked = self.asked
        found = self.order_by().values("id", "sort_text", "slug")
        terms, params = found.query.get_compiler(sql.connection().alias).as_sql()
        statement = (_COUNTED + _PAGE).format(
            terms=terms,
            column=asked.order.column,
            least=1 if asked.hides_empty else 0,
            direction=asked.order.direction,
            limit=limit,
            offset=offset,
        )
        rows = sql.rows(statement, [sql.moment(asked.now), *params], prepare=False)
        return [TermRow(*row[1:]) for row in rows if row[1] is not None], rows[0][0]


def by_id(taxonomy: Taxonomy, pk: int, now: datetime) -> TermRow | None:
    """Return one term."""
    terms = ListedTerms(Term).listed_for(ANONYMOUS, now, taxonomy=taxonomy)
    found, _ = terms.hiding_empty(wanted=False).filter(pk=pk).rows(limit=1, offset=0)
    return found[0] if found else None
