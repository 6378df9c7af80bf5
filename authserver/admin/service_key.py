"""Service keys, with their services and institutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.urls import path
from django.utils import timezone

from authserver.admin import key_secret_pages
from authserver.admin.base import AuditedAdmin
from authserver.keys import secrets
from authserver.models import AuditEvent, KeyInstitution, KeyService, ServiceKey
from platform_errors.admin import InstitutionScopedInline

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern

Action = AuditEvent.Action


class ServiceKeyForm(forms.ModelForm):
    """A key; when it is made, with or without a secret."""

    make_secret = forms.BooleanField(
        required=False,
        label="Make a secret",
        help_text="For applications that can keep one, on a server. It is shown once, on "
        "the next page. Browser and mobile applications get none.",
    )

    class Meta:
        model = ServiceKey
        fields = "__all__"  # noqa: DJ007 -- narrowed by the admin's fieldsets


class _LinkInline(InstitutionScopedInline):
    """What is on a key, each row named without a query of its own."""

    extra = 0
    institution_verbs = frozenset({"view"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring what the names are made of."""
        rows = super().get_queryset(request)
        return rows.select_related("key", *self.autocomplete_fields)


class KeyServiceInline(_LinkInline):
    """Each service on the key has a status and an expiry of its own."""

    model = KeyService
    institution_path = "key__institutions"
    verbose_name = "service"
    verbose_name_plural = "services on this key"
    autocomplete_fields = ["service"]


class KeyInstitutionInline(_LinkInline):
    """The institutions whose data the key may ask for."""

    model = KeyInstitution
    institution_path = "institution"
    verbose_name = "institution"
    verbose_name_plural = "institutions that it may act for"
    autocomplete_fields = ["institution"]


class _KeyLinkAdmin(AuditedAdmin):
    """What is on a key; whoever changes that has changed the key, and is in the record."""

    added = changed = deleted = Action.KEY_CHANGED
    institution_verbs = frozenset({"view"})

    def named(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Name the key."""
        return super().named(request, obj) | {"client_id": obj.key.client_id}

    def in_words(self, obj: Any, message: str) -> str:
        """Say what on the key it was."""
        return f"{obj}: {message}"


@admin.register(KeyService)
class KeyServiceAdmin(_KeyLinkAdmin):
    """Which keys have a service: to find those that lapse."""

    institution_path = "key__institutions"

    def belongs_to(self, obj: Any, institution: Any) -> bool:
        """Return whether the institution is on the key."""
        return bool(obj.key.institutions.filter(pk=institution.pk).exists())

    list_display = ["service", "key", "status", "expires_at"]
    list_filter = ["status", "service", "expires_at"]
    list_select_related = ["service", "key"]
    search_fields = ["service__code", "service__name", "key__client_id", "key__name"]
    autocomplete_fields = ["service", "key"]
    ordering = ["service__code", "key__name", "pk"]


@admin.register(KeyInstitution)
class KeyInstitutionAdmin(_KeyLinkAdmin):
    """Which keys may ask for an institution's data."""

    institution_path = "institution"

    list_display = ["institution", "key"]
    list_filter = [("institution", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["institution", "key"]
    search_fields = [
        "institution__registry_id",
        "institution__name",
        "key__client_id",
        "key__name",
    ]
    autocomplete_fields = ["institution", "key"]
    ordering = ["institution__name", "key__name", "pk"]


class ServiceKeyAdmin(AuditedAdmin):
    """Registered through ``OAUTH2_PROVIDER["APPLICATION_ADMIN_CLASS"]``."""

    added = Action.KEY_CREATED
    changed = Action.KEY_CHANGED
    deleted = Action.KEY_DELETED
    institution_path = "institutions"
    institution_verbs = frozenset({"view"})

    form = ServiceKeyForm
    change_form_template = "admin/authserver/servicekey/change_form.html"
    list_display = ["name", "client_id", "status", "expires_at", "kind", "old_generation"]
    list_filter = [
        "status",
        "client_type",
        "old_generation",
        "claimed_https",
        "expires_at",
        ("services", admin.RelatedOnlyFieldListFilter),
    ]
    search_fields = ["name", "client_id", "redirect_uris"]
    ordering = ["name", "pk"]
    inlines = [KeyServiceInline, KeyInstitutionInline]
    readonly_fields = ["secrets_in_words", "created", "updated"]
    view_on_site = False  # django-oauth-toolkit's own pages are not served

    _identity = ["name", "client_id", "status", "expires_at"]
    _redirects = (
        "Where its users return to",
        {"fields": ["redirect_uris", "claimed_https"]},
    )
    _compatibility = ("Compatibility", {"fields": ["old_generation"]})

    def belongs_to(self, obj: ServiceKey, institution: Any) -> bool:  # type: ignore[override]
        """Return whether the institution is on the key."""
        return obj.institutions.filter(pk=institution.pk).exists()

    def get_fieldsets(self, request: HttpRequest, obj: ServiceKey | None = None) -> Any:
        """Ask for a secret when the key is made; tell about secrets afterwards."""
        secret = ["make_secret"] if obj is None else ["secrets_in_words"]
        more = [] if obj is None else [("History", {"fields": ["created", "updated"]})]
        return [
            (None, {"fields": self._identity}),
            ("Secret", {"fields": secret}),
            self._redirects,
            self._compatibility,
            *more,
        ]

    def get_readonly_fields(
        self, request: HttpRequest, obj: ServiceKey | None = None
    ) -> list[str]:
        """Keep the identifier of a key that clients already use."""
        return [*self.readonly_fields, *(["client_id"] if obj else [])]

    def get_urls(self) -> list[URLPattern]:
        """Add the two pages about secrets."""
        pages = key_secret_pages.KeySecretPages(self)
        return [
            path(
                "<int:key_id>/secret/rotate/",
                self.admin_site.admin_view(pages.rotate),
                name="authserver_servicekey_rotate_secret",
            ),
            path(
                "<int:key_id>/secret/retire/",
                self.admin_site.admin_view(pages.retire),
                name="authserver_servicekey_retire_secret",
            ),
            *super().get_urls(),
        ]

    def save_model(
        self,
        request: HttpRequest,
        obj: ServiceKey,
        form: Any,
        change: bool,  # noqa: FBT001
    ) -> None:
        """Save, and make the first secret when that was asked for."""
        super().save_model(request, obj, form, change)
        if not change and form.cleaned_data.get("make_secret"):
            secret = secrets.rotate(
                key_id=obj.pk,
                seen=None,
                actor=request.user.get_username(),
                now=timezone.now(),
            )
            obj.refresh_from_db()
            request.made_secret = secret  # type: ignore[attr-defined]  # for response_add

    def response_add(
        self, request: HttpRequest, obj: ServiceKey, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the secret at once; a redirect would have to carry it somewhere."""
        secret: str | None = getattr(request, "made_secret", None)
        if secret is None:
            return super().response_add(request, obj, post_url_continue)
        return key_secret_pages.show_once(self, request, obj, secret)

    def named(self, request: HttpRequest, obj: ServiceKey) -> dict[str, Any]:
        """Name the key."""
        return super().named(request, obj) | {"client_id": obj.client_id}

    @admin.display(description="kind")
    def kind(self, key: ServiceKey) -> str:
        """Say whether the key has to authenticate."""
        return "with a secret" if key.has_secret else "public"

    @admin.display(description="secrets")
    def secrets_in_words(self, key: ServiceKey) -> str:
        """Say which secrets work and since when, and nothing of what they are."""
        if not key.has_secret:
            return "None: a public key, which proves itself with PKCE alone."
        since = f"The current one, made {key.secret_created_at:%Y-%m-%d %H:%M} UTC."
        if not key.encrypted_previous_secret:
            return since
        return (
            f"{since} The previous one, made "
            f"{key.previous_secret_created_at:%Y-%m-%d %H:%M} UTC, works too until it is "
            "retired."
        )
