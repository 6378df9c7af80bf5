"""Which rows a member of staff sees in Django admin: those of their institution.

Staff without an institution look after the whole platform. Everything else in admin (lists,
searches, filters, autocompletes, pop-ups, actions, history, direct addresses) asks these
classes, through the methods that Django documents for it; Django's permissions are required
as well.
"""

from copy import copy
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import DateTimeField, Field, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from institution_admin import bulk
from institution_admin.dashboard import Block
from institution_admin.lookups import dates_in_the_calendar
from institution_admin.paging import NarrowPaginator
from institution_admin.search import RelatedSearch
from institution_admin.widgets import (
    IdAutocompleteSelect,
    NamedFormSet,
    NativeSplitDateTime,
    name_input,
)

FILTER_LOOKUPS = ("__exact", "__isnull", "__gte", "__lt", "__id__exact")
"""What the filters of Django's lists ask of a column."""
ALL_VERBS = frozenset({"view", "add", "change", "delete"})


def institution_of(request: HttpRequest) -> Any:
    """Return the institution that the user is kept to; ``None`` without one."""
    return getattr(request.user, "institution", None)


class InstitutionScope:
    """The rule, for admin classes and inlines alike; put it before Django's class.

    ``institution_path``: the lookup from a row to its institution; without one, rows are
    for staff of the platform alone. ``institution_verbs``: what staff of an institution may
    do at most.
    """

    institution_path: ClassVar[str] = ""
    institution_verbs: ClassVar[frozenset[str]] = ALL_VERBS

    admin_site: admin.AdminSite

    def institution_value(self, institution: Any) -> Any:
        """Return what ``institution_path`` leads to for rows of the institution."""
        return institution

    def of_institution(self, queryset: QuerySet[Any], institution: Any) -> QuerySet[Any]:
        """Return the rows that are the institution's."""
        value = self.institution_value(institution)
        return queryset.filter(**{self.institution_path: value})

    def belongs_to(self, obj: Model, institution: Any) -> bool:
        """Return whether a row is the institution's; also one that is stored no more."""
        found: Any = obj
        for name in self.institution_path.split("__"):
            found = getattr(found, name, None)
        return bool(found == self.institution_value(institution))

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Return whether the rule lets the user do this, to this row if there is one."""
        institution = institution_of(request)
        if institution is None:
            return True
        if not self.institution_path or verb not in self.institution_verbs:
            return False
        return obj is None or self.belongs_to(obj, institution)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows that the user may meet."""
        rows: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc]
        institution = institution_of(request)
        if institution is None:
            return rows
        if not self.institution_path:
            return rows.none()
        return self.of_institution(rows, institution)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require the rule and Django's permission."""
        return self.is_allowed(request, "view", obj) and super().has_view_permission(  # type: ignore[misc]
            request, obj
        )

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Require the rule and Django's permission; an inline's gets its parent, too."""
        return self.is_allowed(request, "add") and super().has_add_permission(  # type: ignore[misc]
            request, *args
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require the rule and Django's permission."""
        return self.is_allowed(request, "change", obj) and super().has_change_permission(  # type: ignore[misc]
            request, obj
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require the rule and Django's permission."""
        return self.is_allowed(request, "delete", obj) and super().has_delete_permission(  # type: ignore[misc]
            request, obj
        )

    def get_field_queryset(
        self, db: str | None, db_field: Field, request: HttpRequest
    ) -> QuerySet[Any] | None:
        """Offer only rows that the user may meet, also to what is posted by hand."""
        if institution_of(request) is None:
            choices: QuerySet[Any] | None = super().get_field_queryset(  # type: ignore[misc]
                db, db_field, request
            )
            return choices
        related: Any = db_field.remote_field
        if not self.admin_site.is_registered(related.model):
            return QuerySet(related.model).none()
        theirs = self.admin_site.get_model_admin(related.model).get_queryset(request)
        return theirs.using(db)

    def formfield_for_dbfield(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Show moments with the browser's own inputs."""
        if isinstance(db_field, DateTimeField):
            label = str(capfirst(db_field.verbose_name))
            kwargs.setdefault("widget", NativeSplitDateTime(label))
        return super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Require the own institution where a row says whose it is."""
        if db_field.name in self.get_autocomplete_fields(request):  # type: ignore[attr-defined]
            kwargs.setdefault("widget", IdAutocompleteSelect(db_field, self.admin_site))
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)  # type: ignore[misc]
        institution = institution_of(request)
        if institution is not None and db_field.name == self.institution_path:
            field.required = True
            field.initial = institution
        return field


class InstitutionScopedInline(InstitutionScope, admin.TabularInline):
    """Rows within the page of another, which Django asks about by that other row."""

    formset = NamedFormSet

    def formfield_for_dbfield(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Name every input: a heading of its column is not a label."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            name_input(field.widget, field.label)
        return field

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Leave the parent to its own admin class; ``get_queryset`` keeps the rows."""
        return super().is_allowed(request, verb)


class InstitutionScopedAdmin(InstitutionScope, RelatedSearch):
    """The base of every admin class of the platform."""

    list_per_page = 50
    paginator = NarrowPaginator
    action_form = bulk.BoundedActionForm
    show_facets = admin.ShowFacets.NEVER  # a count for each choice of each filter
    called: tuple[str, str] | None = None
    """One row and many, where a library's model calls them by other names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Put the names where admin's pages look for them; the model keeps its own."""
        super().__init__(*args, **kwargs)
        if self.called:
            self.opts = copy(self.opts)
            self.opts.verbose_name, self.opts.verbose_name_plural = self.called

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Refuse dates that another time zone puts outside the calendar, as bad lookups.

        Raises ``IncorrectLookupParameters``.
        """
        with dates_in_the_calendar():
            found = super().get_changelist_instance(request)
        found.opts = self.opts
        return found

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Head the list with what it is a list of, in the words of the menu."""
        title = capfirst(str(self.opts.verbose_name_plural))
        context = {"title": title, **(extra_context or {})}
        return super().changelist_view(request, context)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Bound every action, Django's deletion included."""
        actions: dict[str, Any] = super().get_actions(request)
        return {
            name: (bulk.bounded(action), *name_and_words)
            for name, (action, *name_and_words) in actions.items()
        }

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Return what the first page shows users who may view these rows."""
        return []

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show an app to users who may see one of its models."""
        return self.is_allowed(request, "view") and super().has_module_permission(request)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow what the filters of the class ask, and nothing else.

        Django allows every column of the row: one that is shown nowhere could be guessed
        from which rows an address lists, letter by letter.
        """
        asked = {
            f"{name}{suffix}"
            for name in self._filtered_columns()
            for suffix in ("", *FILTER_LOOKUPS)
        }
        return lookup in asked and super().lookup_allowed(lookup, value, request)

    def _filtered_columns(self) -> list[str]:
        entries = [
            entry[0] if isinstance(entry, (list, tuple)) else entry
            for entry in self.list_filter
        ]
        return [
            entry if isinstance(entry, str) else getattr(entry, "parameter_name", "")
            for entry in entries
        ]

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Offer no choice of institutions where there is one only."""
        filters = super().get_list_filter(request)
        if institution_of(request) is None:
            return filters
        return [
            entry
            for entry in filters
            if (entry[0] if isinstance(entry, (list, tuple)) else entry) != "institution"
        ]
