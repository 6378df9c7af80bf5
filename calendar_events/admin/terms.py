"""Categories and tags."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from calendar_events.admin.base import RecordAdmin
from calendar_events.admin.forms import RecordForm
from calendar_events.admin.institutions import InstitutionFilter
from calendar_events.models import Taxonomy, Term
from calendar_events.permissions import Actor
from calendar_events.serializers.base import Input
from calendar_events.serializers.inputs import CategoryInput, TermInput
from calendar_events.services import terms


class TermForm(RecordForm):
    """A term; of which kind is decided once."""

    class Meta:
        model = Term
        fields = ["taxonomy", "institution", "name", "slug", "description", "parent"]

    @property
    def taxonomy(self) -> Taxonomy:
        """Return the kind that was chosen, now or before."""
        return Taxonomy(self.cleaned_data.get("taxonomy") or self.instance.taxonomy)

    @property
    def input(self) -> type[Input]:  # type: ignore[override]  # it depends on the kind
        """Return the input of the kind: tags have no parent."""
        return CategoryInput if self.taxonomy == Taxonomy.CATEGORY else TermInput

    def body(self, *, is_new: bool) -> dict[str, Any]:
        body = super().body(is_new=is_new)
        body.pop("taxonomy", None)
        return body


@admin.register(Term)
class TermAdmin(RecordAdmin):
    """Categories and tags."""

    form = TermForm
    list_display = ("name", "taxonomy", "slug", "parent", "institution")
    list_filter = ("taxonomy", InstitutionFilter)
    list_select_related = ("parent",)
    autocomplete_fields = ("parent",)
    ordering = ("taxonomy", "sort_text", "id")
    fieldsets = (
        (None, {"fields": ("taxonomy", "institution", "name", "slug")}),
        (None, {"fields": ("description", "parent")}),
        ("Record", {"fields": ("id", "created_at", "modified_at", "seen_version")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Let the kind be chosen once."""
        fixed = ["taxonomy"] if obj else []
        return [*super().get_readonly_fields(request, obj), *fixed]

    def create(self, *, actor: Actor, changes: Any, now: datetime) -> Term:
        taxonomy = Taxonomy(changes.pop("taxonomy"))
        return terms.create_term(actor=actor, taxonomy=taxonomy, changes=changes, now=now)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Hand the kind of a new term to the service."""
        if form.stored is None:
            form.changes["taxonomy"] = form.taxonomy
        super().save_model(request, obj, form, *args, **kwargs)
