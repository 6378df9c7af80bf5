"""QuerySets of lists: what a list asks for is gathered, and answered a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from django.db.models import QuerySet

if TYPE_CHECKING:
    from django.db.models import Q


class Page(NamedTuple):
    """The documents of one page, as JSON texts, and how many there are in all."""

    items: list[str]
    total: int


class Asked:
    """What a list asks for, as data; subclasses are frozen dataclasses."""

    def condition(self) -> Q:
        """Return it as a condition for ``QuerySet.filter``."""
        raise NotImplementedError

    def but(self, **changes: Any) -> Self:
        """Return it with other values: ``dataclasses.replace``, which asks every field."""
        found = object.__new__(type(self))
        vars(found).update(vars(self), **changes)
        return found


class ListQuerySet(QuerySet[Any]):
    """A QuerySet whose pages are made by one statement of the store.

    Its own methods gather what is asked for as data, ``asked``. All else that a QuerySet
    does (``filter``, ``count``, iteration) works as ever: as soon as the query itself is
    needed, what was asked for becomes its condition, and no more can be.
    """

    asked: Any = None
    """An ``Asked``."""
    _is_pending = False
    """Whether ``asked`` is still to become a condition of the query."""

    def page(self, *, limit: int, offset: int) -> Page:
        """Return a page and the exact total, as of one moment."""
        raise NotImplementedError

    def all(self) -> Self:
        """Return a copy."""
        return self.asking(self.asked) if self._is_pending else super().all()

    def asking(self, asked: Asked) -> Self:
        """Return this list, asking for something else.

        The query is shared, not copied: whatever changes one copies it before.
        Raises ``TypeError`` when the list has become an ordinary query.
        """
        if self.asked is not None and not self._is_pending:
            raise TypeError("Ask for this before the list is filtered in other ways.")
        mine = vars(self)
        found = type(self)(self.model, mine["_query"], mine["_db"], mine["_hints"])
        vars(found).update(asked=asked, _is_pending=True)
        return found

    @property
    def query(self) -> Any:
        """The query, with what is asked for among its conditions."""
        if self._is_pending:
            self._query: Any = self._query.chain()
            self._query.add_q(self.asked.condition())
            self._is_pending = False
        return self._query

    @query.setter
    def query(self, value: Any) -> None:
        ordinary: Any = QuerySet.query
        ordinary.fset(self, value)

    def _clone(self) -> Self:
        """Return a copy, which does not yet make a query of what is asked for."""
        is_pending, self._is_pending = self._is_pending, False
        clone: Self = super()._clone()  # type: ignore[misc]  # not in the stubs
        self._is_pending = is_pending
        vars(clone).update(asked=self.asked, _is_pending=is_pending)
        return clone
