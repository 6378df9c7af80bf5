"""The tree of categories, as boxes to tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from calendar_events.models import Taxonomy, Term
from platform_errors.admin import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 300
"""Categories that a form shows; where there are more, they are searched for."""
DEEPEST = 6
"""How far boxes are indented at most."""


class TreeWidget(forms.CheckboxSelectMultiple):
    """Boxes, each as far from the edge as its category is from the top of the tree."""

    template_name = "admin/calendar_events/category_tree.html"
    depths: dict[int, int]

    def __init__(self) -> None:
        """Begin without a tree."""
        super().__init__()
        self.depths = {}

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Tell the template how deep a box stands."""
        option = super().create_option(name, value, *args, **kwargs)
        depth = self.depths.get(int(str(value)), 0)
        return {**option, "depth": min(depth, DEEPEST)}


class CategoryField(forms.ModelMultipleChoiceField):
    """Categories of one institution."""

    widget: Any = TreeWidget

    def __init__(self) -> None:
        """Offer nothing before the institution is known."""
        super().__init__(Term.objects.none(), required=False, label="Categories")

    def offer(self, institution: str) -> bool:
        """Offer the tree of an institution; return whether there is one to be shown."""
        rows = Term.objects.categories().filter(institution=institution)
        found = list(rows.order_by("sort_text", "id")[: MOST + 1]) if institution else []
        if not 0 < len(found) <= MOST:
            self.widget = forms.MultipleHiddenInput()
            return False
        self.queryset = rows
        branches = list(in_order(found))
        self.choices = [(term.pk, term.name) for term, _ in branches]
        self.widget.depths = {term.pk: depth for term, depth in branches}
        return True

    def clean(self, value: Any) -> Any:
        """Return the categories; what is no identifier names none."""
        if not all(map(is_id, value or [])):
            raise forms.ValidationError("Choose from the list.")
        return list(super().clean(value))


def in_order(terms: Sequence[Term]) -> Iterator[tuple[Term, int]]:
    """Yield every category once, each after its parent, with its depth from 0."""
    here = {term.pk for term in terms}
    children: dict[int | None, list[Term]] = {}
    for term in terms:
        parent = term.parent_id if term.parent_id in here else None
        children.setdefault(parent, []).append(term)
    seen: set[int] = set()
    # Rows that are their own ancestors hang on no root: they begin where nothing is left.
    for first in (None, *sorted(here)):
        left = [(term, 0) for term in reversed(children.get(first, []))]
        while left:
            term, depth = left.pop()
            if term.pk in seen:
                continue
            seen.add(term.pk)
            yield term, depth
            left += [(each, depth + 1) for each in reversed(children.get(term.pk, []))]


def is_category(term: Term) -> bool:
    """Return whether a term belongs in the tree."""
    return term.taxonomy == Taxonomy.CATEGORY
