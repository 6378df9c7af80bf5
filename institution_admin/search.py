"""Searches of the lists in admin, in which rows are also found by what they belong to."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.text import smart_split, unescape_string_literal

MOST_WORDS: Final = 10
"""How many words of a search are used; each is a separate condition."""
SHORTEST: Final = 3
"""Letters of a Latin word that is looked for anywhere, as an index of trigrams can."""
MOST_FOUND: Final = 1_000
"""Rows that ``newest`` keeps."""
LOOKUPS: Final = ("__exact", "__startswith", "__contains")
"""What a search field may end with; else letters are compared without case, anywhere."""
PREFIXES: Final = tuple("^=@")
"""Django's own way to say how a field is searched."""


class RelatedSearch(admin.ModelAdmin):
    """Looks words up in each table, where Django compares a join of all of them.

    ``finds_newest``: whether a search finds the newest rows only (``newest``).
    """

    finds_newest: ClassVar[bool] = False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows in which, or in what they belong to, every word is found.

        What they belong to is named ``relation__column``. A word of one or two letters is
        found at the beginning of a column, in either case like all others.
        """
        fields = self.get_search_fields(request)
        if not fields or any(field.startswith(PREFIXES) for field in fields):
            return super().get_search_results(request, queryset, search_term)
        found = queryset
        for word in islice(dict.fromkeys(_words(search_term)), MOST_WORDS):
            found = found.filter(_found(self.model, fields, word))
        is_bounded = self.finds_newest and found is not queryset
        return newest(queryset, found) if is_bounded else found, False


def is_short(word: str) -> bool:
    """Return whether a word is only looked for where a column begins.

    Two characters of Chinese or Japanese are a word, which is looked for anywhere.
    """
    return len(word) < SHORTEST and word.isascii()


def newest(queryset: QuerySet[Any], found: QuerySet[Any]) -> QuerySet[Any]:
    """Return the rows of a query among the newest that are found.

    For words that may be in most rows: the search runs once, ends early, and is repeated
    neither for the number of pages nor for the page.
    """
    keys = found.order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND]
    return queryset.filter(pk__in=list(keys))


def _words(text: str) -> Iterator[str]:
    """Yield the words of a search, and what is in quotes as one."""
    for word in smart_split(text):
        is_quoted = word[0] in "\"'" and word[0] == word[-1]
        yield unescape_string_literal(word) if is_quoted else word


def _found(model: type[Model], fields: Sequence[str], word: str) -> Q:
    related: dict[str, list[str]] = {}
    for field in fields:
        relation, _, column = field.partition("__")
        is_own = not column or not model._meta.get_field(relation).is_relation
        related.setdefault("" if is_own else relation, []).append(
            field if is_own else column
        )
    own = related.pop("", [])
    if not related:
        return _any(own, word)
    rows: QuerySet[Any] = model._base_manager.order_by().values("pk")
    found = [rows.filter(_any(own, word))] if own else []
    for relation, columns in related.items():
        target: Any = model._meta.get_field(relation).related_model
        others = target._base_manager.filter(_any(columns, word)).values("pk")
        found.append(rows.filter(**{f"{relation}__in": others}))
    # A union, and no OR: each of its parts is read by an index where few rows are found.
    first, *rest = found
    return Q(pk__in=first.union(*rest))


def _any(fields: Iterable[str], word: str) -> Q:
    # An index of trigrams of the folded column serves both.
    usual = "istartswith" if is_short(word) else "icontains"
    condition = Q()
    for field in fields:
        lookup = field if field.endswith(LOOKUPS) else f"{field}__{usual}"
        # Logins and scopes are stored in small letters, identifiers as they were given.
        is_folded = lookup.endswith(f"__{usual}")
        for spelling in {word} if is_folded else {word, word.lower()}:
            condition |= Q(**{lookup: spelling})
    return condition
