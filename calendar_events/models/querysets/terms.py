"""The words in which lists of categories and tags are asked for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from django.db.models import F, Func, IntegerField, Q, Value

from calendar_events.models.querysets.base import (
    TERM_COLUMNS,
    ListQuerySet,
    Order,
    Unknown,
    order,
)
from calendar_events.models.visibility import Taxonomy, Viewer
from calendar_events.parsing.slugs import Token

BY_NAME = Order("sort_text")
_TREE = """WITH RECURSIVE tree(id, parent_id, slug) AS (
    SELECT id, parent_id, slug FROM {table}
    WHERE taxonomy = %s AND (slug IN ({slugs}) OR id IN ({numbers}))
    UNION
    SELECT t.id, t.parent_id, t.slug FROM {table} t JOIN tree ON t.parent_id = tree.id
)
SELECT id, parent_id, slug FROM tree"""


class PublishedEvents(Func):
    """How many published events a term has.

    Triggers keep it (PostgreSQL), or its links are counted; what time has not published yet
    is in both, and taken off. OFFSET 0 is an optimisation barrier, so that those are found
    once, and not for each term again.
    """

    output_field = IntegerField()
    template = """({links} - COALESCE((SELECT s.number FROM (
      SELECT x.term_id, COUNT(*) AS number
      FROM calendar_events_event e JOIN calendar_events_eventterm x ON x.event_id = e.id
      WHERE NOT e.hide_from_listings AND e.status = 'publish' AND e.published_at > {now}
        AND x.listed
      GROUP BY x.term_id LIMIT {all} OFFSET 0) s WHERE s.term_id = {pk}), 0))"""
    counted = """(SELECT COUNT(*) FROM calendar_events_eventterm l
      WHERE l.term_id = {pk} AND l.listed)"""
    kept = """CAST(COALESCE((SELECT SUM(d.number) FROM calendar_events_daycount d
      WHERE d.scope = 'term:' || {pk} AND d.day = '0001-01-01'), 0) AS integer)"""

    def as_sql(  # type: ignore[override]  # its options are not used
        self, compiler: Any, connection: Any, **_options: Any
    ) -> Any:
        pk, now = self.get_source_expressions()
        key, key_params = compiler.compile(pk)
        moment, params = compiler.compile(now)
        is_kept = connection.vendor == "postgresql"
        links = (self.kept if is_kept else self.counted).format(pk=key)
        limit = "ALL" if is_kept else "-1"
        text = self.template.format(links=links, now=moment, pk=key, all=limit)
        return text, [*key_params, *params, *key_params]


class TermQuerySet(ListQuerySet):
    """Categories or tags, in lists each with its number of published events."""

    taxonomy = ""
    carried = ("listing", "taxonomy")

    def categories(self) -> Self:
        return self._of(Taxonomy.CATEGORY)

    def tags(self) -> Self:
        return self._of(Taxonomy.TAG)

    def _of(self, taxonomy: str) -> Self:
        clone = self.filter(taxonomy=taxonomy)
        clone.taxonomy = taxonomy
        return clone

    def listed_for(self, viewer: Viewer, now: datetime, *, taxonomy: str) -> Self:
        """Keep the terms of a taxonomy that have events, with their ``number``."""
        terms = self._of(taxonomy).with_listing(viewer=viewer, now=now)
        return terms.with_numbers(now).hiding_empty(wanted=True).sorted_by({})

    def with_numbers(self, now: datetime) -> Self:
        """Tell how many published events each has, as ``number``."""
        return self.annotate(number=PublishedEvents(F("pk"), Value(now)))

    def hiding_empty(self, *, wanted: bool) -> Self:
        """Leave out terms that no published event has, or show them too."""
        return self._replace("empty", Q(number__gte=1) if wanted else Q())

    def among(self, ids: Sequence[int]) -> Self:
        """Keep these terms. Raises ``Unknown``."""
        self._all().require(ids)
        return self.filter(pk__in=ids)

    def without(self, ids: Sequence[int]) -> Self:
        """Leave these terms out. Raises ``Unknown``."""
        self._all().require(ids)
        return self.exclude(pk__in=ids)

    def under(self, pk: int) -> Self:
        """Keep what is directly under a category. Raises ``Unknown``."""
        self._all().require([pk])
        return self.filter(parent=pk)

    def of_event(self, pk: int) -> Self:
        """Keep the terms of an event, the last one named. Raises ``Unknown``."""
        links = self._links()
        events = links.model._meta.get_field("event").related_model.objects
        events.visible_to(self.listing.viewer, self.listing.now).require([pk])
        # The terms of a protected event are among what its password protects.
        linked = links.filter(event=pk, event__password="")
        return self._replace("event", Q(pk__in=linked.values("term")))

    def with_slugs(self, slugs: Sequence[str]) -> Self:
        return self.filter(slug__in=slugs)

    def sorted_by(self, values: Mapping[str, Any]) -> Self:
        """Sort as ``orderby`` and ``order`` ask for, else by name."""
        chosen = order(values, TERM_COLUMNS, BY_NAME)
        sign = "-" if chosen.descending else ""
        return self.order_by(f"{sign}{chosen.column}", f"{sign}pk")

    def named(self, tokens: Sequence[Token]) -> set[int]:
        """Return the terms of a taxonomy that tokens name, and everything under them.

        All digits are an identifier first, then a slug; a slug names its term in every
        institution. Raises ``Unknown``.
        """
        slugs = [token.slug for token in tokens]
        numbers = [token.pk for token in tokens if token.pk is not None]
        statement = _TREE.format(
            table=self.model._meta.db_table,
            slugs=", ".join(["%s"] * len(slugs)),
            numbers=", ".join(["%s"] * len(numbers)) or "NULL",
        )
        terms = list(
            self.model._base_manager.raw(statement, [str(self.taxonomy), *slugs, *numbers])
        )
        by_slug: dict[str, set[int]] = {}
        children: dict[int | None, set[int]] = {}
        for term in terms:
            by_slug.setdefault(term.slug, set()).add(term.pk)
            children.setdefault(term.parent_id, set()).add(term.pk)
        known = {term.pk for term in terms}
        named: set[int] = set()
        missing = []
        for token in tokens:
            if token.pk in known:
                named.add(token.pk or 0)
            elif token.slug in by_slug:
                named |= by_slug[token.slug]
            else:
                missing.append(token.text)
        if missing:
            raise Unknown(missing)
        return _with_descendants(named, children)

    def with_descendants(self, ids: Iterable[int]) -> set[int]:
        """Return ``ids`` and everything under them, however deep."""
        family = set(ids)
        newest = family
        while newest:
            rows = self.model._base_manager.filter(parent__in=newest)
            newest = set(rows.values_list("pk", flat=True)) - family
            family |= newest
        return family

    def _all(self) -> Self:
        return self.model.objects.filter(taxonomy=self.taxonomy)

    def _links(self) -> Any:
        return self.model.events.through._base_manager.all()


def _with_descendants(named: set[int], children: dict[int | None, set[int]]) -> set[int]:
    family, newest = set(named), set(named)
    while newest:
        newest = {pk for parent in newest for pk in children.get(parent, ())} - family
        family |= newest
    return family
