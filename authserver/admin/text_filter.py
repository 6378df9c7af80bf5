"""A filter that is typed: for columns with too many values to offer as links."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self, cast

from django.contrib import admin
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest


class TextFilter(admin.SimpleListFilter):
    """Rows whose column is exactly the text: ``TextFilter.on("reason")``."""

    template = "admin/authserver/text_filter.html"
    max_length: ClassVar[int] = 255

    @classmethod
    def on(cls, column: str, *, title: str = "") -> type[Self]:
        """Return the filter of a column."""
        words = {"parameter_name": column, "title": title or column.replace("_", " ")}
        return cast("type[Self]", type(cls.__name__, (cls,), words))

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer nothing to click on."""
        return []

    def has_output(self) -> bool:
        """Show the box all the same."""
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows with this text."""
        text = (self.value() or "").strip()
        if not text:
            return queryset
        return queryset.filter(**{str(self.parameter_name): text})

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Give the template what the form repeats, and the way back to all rows."""
        others = dict(changelist.filter_params)
        for name in (str(self.parameter_name), PAGE_VAR):
            others.pop(name, None)
        yield {
            "text": self.value() or "",
            "name": self.parameter_name,
            "max_length": self.max_length,
            "others": [
                (name, value) for name, values in others.items() for value in values
            ],
            "all_rows": changelist.get_query_string(remove=[str(self.parameter_name)]),
        }
