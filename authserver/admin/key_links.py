"""Services, and what is on a service key: some of them, and institutions."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from authserver.admin.base import AuditedAdmin, WithState
from authserver.admin.filters import ExpiryFilter
from authserver.models import AuditEvent, KeyInstitution, KeyService, Service
from institution_admin import (
    FewRelatedFilter,
    InstitutionScopedAdmin,
    InstitutionScopedInline,
)


@admin.register(Service)
class ServiceAdmin(InstitutionScopedAdmin):
    """What keys can be given; the description is what the grant page says."""

    list_display = ["name", "code", "description"]
    search_fields = ["name", "code", "description"]
    ordering = ["name", "pk"]


class _LinkInline(InstitutionScopedInline):
    """What is on a key, each row named without another query."""

    extra = 0
    named_by: ClassVar[str]
    institution_verbs = frozenset({"view"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring what the names are made of."""
        rows = super().get_queryset(request)
        return rows.select_related("key", self.named_by)


class KeyServiceInline(_LinkInline):
    """The services on the key, each with its status and expiry."""

    model = KeyService
    institution_path = "key__institutions"
    named_by = "service"
    verbose_name = "service"
    verbose_name_plural = "services on this key"

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Look up the services once, and not for every row."""
        field: Any = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "service":
            if not hasattr(request, "services_to_choose"):
                request.services_to_choose = list(field.choices)  # type: ignore[attr-defined]
            field.choices = request.services_to_choose  # type: ignore[attr-defined]
        return field


class KeyInstitutionInline(_LinkInline):
    """The institutions whose data the key may ask for."""

    model = KeyInstitution
    institution_path = "institution"
    named_by = "institution"
    verbose_name = "institution"
    verbose_name_plural = "institutions that the key may act for"
    autocomplete_fields = ["institution"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Put on and take off; a row says one thing alone, and costs no picker."""
        return False


class _KeyLinkAdmin(AuditedAdmin):
    """What is on a key; a change of it is recorded as a change of the key."""

    added = changed = deleted = AuditEvent.Action.KEY_CHANGED
    names = {"client_id": "key.client_id"}
    words = "{row}: {message}"
    institution_verbs = frozenset({"view"})


@admin.register(KeyService)
class KeyServiceAdmin(WithState, _KeyLinkAdmin):
    """Which keys have a service: to find those that lapse."""

    institution_path = "key__institutions"

    def belongs_to(self, obj: Any, institution: Any) -> bool:
        """Return whether the institution is on the key."""
        return bool(obj.key.institutions.filter(pk=institution.pk).exists())

    list_display = ["service", "key", "state", "expires_at"]
    list_filter = [
        "status",
        ExpiryFilter,
        ("service", admin.RelatedOnlyFieldListFilter),
    ]
    list_select_related = ["service", "key"]
    search_fields = ["service__code", "service__name", "key__client_id", "key__name"]
    autocomplete_fields = ["service", "key"]
    ordering = ["service__code", "key__name", "pk"]


@admin.register(KeyInstitution)
class KeyInstitutionAdmin(_KeyLinkAdmin):
    """Which keys may ask for an institution's data."""

    institution_path = "institution"

    list_display = ["institution", "key"]
    list_filter = [
        ("institution", FewRelatedFilter),
        ("key", FewRelatedFilter),
    ]
    list_select_related = ["institution", "key"]
    search_fields = [
        "institution__registry_id",
        "institution__name",
        "key__client_id",
        "key__name",
    ]
    autocomplete_fields = ["institution", "key"]
    ordering = ["institution__name", "key__name", "pk"]
