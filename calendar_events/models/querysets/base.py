"""The base of all list QuerySets: who looks, and when.

Every word returns an ordinary QuerySet: ``filter``, ``exclude``, ``order_by``, slices,
``count`` and another filter backend work before and after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from django.db.models.sql.where import AND

from calendar_events.models.querysets.ordering import Order
from calendar_events.models.rendered import RenderedQuerySet
from calendar_events.models.visibility import ANONYMOUS
from calendar_events.parsing.identifiers import MAX_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from django.db.models import Q

    from calendar_events.models.visibility import Viewer


class Refused(ValueError):
    """A list cannot be filtered by this; the message says why."""


class Unknown(Refused):
    """Nothing has one of the identifiers or slugs; the message names them."""

    def __init__(self, names: Iterable[object]) -> None:
        super().__init__(f"There is no {', '.join(map(str, names))}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a list knows besides its query."""

    viewer: Viewer = ANONYMOUS
    now: datetime | None = None
    """When it is looked at; ``None`` until somebody is named who looks."""
    password: str = ""
    order: Order = field(default_factory=lambda: Order("id"))
    """Unless another is asked for."""
    relaxable: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Conditions of the query that a later word may replace, by name."""


class ListQuerySet(RenderedQuerySet):
    """A QuerySet of a list."""

    listing = Listing()

    def of_institution(self, registry_id: str) -> Self:
        """Keep what belongs to an institution."""
        return self.filter(institution=registry_id)

    def containing(self, folded: str) -> Self:
        """Keep those with a folded text in what ``search`` looks in."""
        return self.filter(search_text__contains=folded)

    def require(self, ids: Sequence[int]) -> None:
        """Raise ``Unknown`` unless all of these rows are there."""
        possible = {pk for pk in ids if pk <= MAX_ID}
        known = set(self.filter(pk__in=possible).values_list("pk", flat=True))
        if missing := [pk for pk in dict.fromkeys(ids) if pk not in known]:
            raise Unknown(missing)

    def with_listing(self, **changes: Any) -> Self:
        """Return a copy that knows something else."""
        clone: Self = self.all()
        clone.listing = replace(self.listing, **changes)
        return clone

    def _replace(self, name: str, condition: Q) -> Self:
        """Filter by a condition, in place of the one that had the name before.

        Where the query has been joined to another with OR, the one before stays.
        """
        clone: Self = self.all()
        where = clone.query.where
        before = self.listing.relaxable.get(name, ())
        if where.connector == AND and all(one in where.children for one in before):
            for one in before:
                where.children.remove(one)
        # Joined with OR, all that there is becomes one condition.
        known = len(where.children) if where.connector == AND else 1
        clone.query.add_q(condition)
        added = tuple(clone.query.where.children[known:])
        relaxable = {**self.listing.relaxable, name: added}
        clone.listing = replace(self.listing, relaxable=relaxable)
        return clone

    def _clone(self) -> Self:
        clone: Self = super()._clone()  # type: ignore[misc]  # not in the stubs
        clone.listing = self.listing
        return clone
