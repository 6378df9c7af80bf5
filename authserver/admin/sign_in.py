"""How the people of an institution sign in: its providers, and whether passwords count."""

from typing import Any

from allauth.socialaccount.models import SocialAccount
from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html

from authserver.accounts import rights
from authserver.admin.base import AuditedAdmin
from authserver.federation import outgoing, saml, saml_metadata
from authserver.federation.adapter import TRY
from authserver.federation.oidc import callback_url
from authserver.models import (
    AuditEvent,
    Institution,
    RoleRule,
    SignInMethod,
    SignInRules,
)
from authserver.views.pages.federation import INSTITUTION, depart
from institution_admin import FewRelatedFilter, InstitutionScopedInline

SWITCHES = ("requires_second_factor", "lets_people_delete_accounts")
MAPPING = ("username_claim", "name_claim", "email_claim")


class SignInMethodForm(forms.ModelForm):
    """A provider; its secret is written and never shown."""

    secret = forms.CharField(
        required=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        label="Client secret",
        help_text="Left empty: the one that is stored stays, or none is used.",
    )

    class Meta:
        model = SignInMethod
        fields = "__all__"  # noqa: DJ007 -- narrowed by the admin's fieldsets

    def clean(self) -> dict[str, Any]:
        """Require what the protocol needs; fetch the metadata of SAML now."""
        values: dict[str, Any] = super().clean() or {}
        kind = values.get("kind", self.instance.kind)
        issuer = values.get("issuer", self.instance.issuer).strip()
        if kind == SignInMethod.Kind.SAML:
            self._read_metadata(values, issuer)
            return values
        if "issuer" in values and not outgoing.is_fit(issuer):
            self.add_error("issuer", "Enter an address that begins with https://.")
        if "client_id" in values and not values["client_id"]:
            self.add_error("client_id", "The issuer gives this server an identifier.")
        return values

    def _read_metadata(self, values: dict[str, Any], issuer: str) -> None:
        url = values.get("metadata_url")
        try:
            if url:
                chosen = values.get("institution")  # it may be none of theirs
                with outgoing.asked_by(chosen.pk if chosen else None):
                    values["metadata"] = saml_metadata.fetch(url, issuer)
                self.instance.metadata_fetched_at = timezone.now()
            saml_metadata.read(values.get("metadata", ""), issuer)
        except saml_metadata.MetadataUnfit as error:
            self.add_error("metadata_url" if url else "metadata", str(error))

    def save(self, commit: bool = True) -> SignInMethod:  # noqa: FBT001, FBT002 -- Django's
        """Encrypt a new secret."""
        if secret := self.cleaned_data.get("secret"):
            self.instance.set_secret(secret)
        method: SignInMethod = super().save(commit)
        return method


class RoleRuleInline(InstitutionScopedInline):
    """Roles by claims; of the roles that whoever sets them up holds."""

    model = RoleRule
    extra = 0
    institution_path = "method__institution"

    def get_queryset(self, request: HttpRequest) -> QuerySet[RoleRule]:
        """Keep rules for greater roles out of reach: whoever changes one could get it."""
        rules = super().get_queryset(request)
        return rules.filter(group__in=rights.grantable_groups(request.user))

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Offer the roles that the user may give."""
        if db_field.name == "group":
            kwargs["queryset"] = rights.grantable_groups(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_field_queryset(self, db: Any, db_field: Any, request: HttpRequest) -> Any:
        """Leave the roles to ``formfield_for_foreignkey``."""
        if db_field.name == "group":
            return None
        return super().get_field_queryset(db, db_field, request)


@admin.register(SignInMethod)
class SignInMethodAdmin(AuditedAdmin):
    """Set up, tried, and opened to people by an institution's administrator."""

    institution_path = "institution"
    added = changed = deleted = AuditEvent.Action.PROVIDER_CHANGED
    names = {"registry_id": "institution.registry_id"}
    words = "{row.name} ({row.issuer}): {message}"
    fixed = SignInMethod.FIXED
    form = SignInMethodForm
    change_form_template = "admin/authserver/signinmethod/change_form.html"
    inlines = [RoleRuleInline]
    list_display = ["name", "institution", "kind", "issuer", "is_active"]
    list_filter = ["is_active", ("institution", FewRelatedFilter)]
    list_select_related = ["institution"]
    search_fields = ["name", "issuer"]
    ordering = ["institution__name", "name", "pk"]
    autocomplete_fields = ["institution"]
    readonly_fields = [
        *("redirect_address", "our_metadata", "has_secret", "metadata_fetched_at"),
        "created_at",
    ]
    fieldsets = [
        (None, {"fields": ["institution", "name", "is_active"]}),
        (
            "Provider",
            {
                "fields": [
                    *("kind", "issuer", "client_id", "secret", "has_secret", "scopes"),
                    *("metadata_url", "metadata", "metadata_fetched_at"),
                    *("redirect_address", "our_metadata"),
                ]
            },
        ),
        (
            "Who arrives",
            {
                "description": "Left empty: preferred_username, name and email. Nobody is "
                "found by them: the provider's subject alone finds an account.",
                "fields": [*MAPPING, "required_claims"],
            },
        ),
        ("History", {"fields": ["created_at"]}),
    ]

    def has_delete_permission(
        self, request: HttpRequest, obj: SignInMethod | None = None
    ) -> bool:
        """Keep what accounts belong to; it can be switched off."""
        return super().has_delete_permission(request, obj) and (
            obj is None
            or not SocialAccount.objects.filter(provider=obj.provider_id).exists()
        )

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Offer no deletion of many: it would not ask about each."""
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def get_urls(self) -> list[URLPattern]:
        """Add the trial."""
        trial = path(
            "<int:pk>/try/",
            self.admin_site.admin_view(self.try_it),
            name="authserver_signinmethod_try",
        )
        return [trial, *super().get_urls()]

    def try_it(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Go to the provider, to see what it says; nothing is made of it.

        Raises ``Http404`` and ``PermissionDenied``.
        """
        method = self.get_object(request, str(pk))
        if method is None:
            raise Http404
        if not self.has_change_permission(request, method):
            raise PermissionDenied
        back = reverse("admin:authserver_signinmethod_change", args=[method.pk])
        data = {
            TRY: request.user.pk,
            INSTITUTION: method.institution.registry_id,
            "back": back,
        }
        return depart(request, method, next_url=back, data=data)

    @admin.display(description="redirect address")
    def redirect_address(self, method: SignInMethod) -> str:
        """Return what to register with the provider."""
        if method.kind == SignInMethod.Kind.SAML:
            address = saml.address_of("saml-acs", method.provider_id)
        else:
            address = callback_url(method.provider_id)
        return format_html("<code>{}</code>", address)

    @admin.display(description="our metadata")
    def our_metadata(self, method: SignInMethod) -> str:
        """Return the address of our metadata, which is our entity ID (SAML)."""
        address = saml.address_of("saml-metadata", method.provider_id)
        return format_html("<code>{}</code>", address)

    @admin.display(description="a secret is stored", boolean=True)
    def has_secret(self, method: SignInMethod) -> bool:
        """Return whether there is one; it is never shown."""
        return bool(method.encrypted_secret)


class SignInRulesForm(forms.ModelForm):
    """What an institution decides; its switches are columns of the institution."""

    requires_second_factor, lets_people_delete_accounts = forms.fields_for_model(
        Institution, SWITCHES
    ).values()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Show the switches as they are, once it is known of which institution."""
        super().__init__(*args, **kwargs)
        for name in SWITCHES:
            if self.instance.pk is None:
                del self.fields[name]
            else:
                self.initial[name] = getattr(self.instance.institution, name)


@admin.register(SignInRules)
class SignInRulesAdmin(AuditedAdmin):
    """Whether passwords of this server count, what happens to new people, and switches."""

    form = SignInRulesForm

    institution_path = "institution"
    added = changed = deleted = AuditEvent.Action.INSTITUTION_CHANGED
    names = {"registry_id": "institution.registry_id"}
    words = "Sign-in: {message}"
    fixed = ["institution"]
    list_display = ["institution", "passwords", "arrivals", *SWITCHES]
    list_filter = ["passwords", "arrivals"]
    list_select_related = ["institution"]
    search_fields = ["institution__name", "institution__registry_id"]
    ordering = ["institution__name", "pk"]
    autocomplete_fields = ["institution"]
    fields = ["institution", "passwords", "arrivals"]

    def get_fields(self, request: HttpRequest, obj: SignInRules | None = None) -> Any:
        """Show switches where it is known of which institution."""
        return [*self.fields, *SWITCHES] if obj else self.fields

    @admin.display(description="requires a second factor", boolean=True)
    def requires_second_factor(self, rules: SignInRules) -> bool:
        """Return what its institution has, for lists and who may only look."""
        return rules.institution.requires_second_factor

    @admin.display(description="lets people delete their accounts", boolean=True)
    def lets_people_delete_accounts(self, rules: SignInRules) -> bool:
        """Return what its institution has, for lists and who may only look."""
        return rules.institution.lets_people_delete_accounts

    def save_model(
        self, request: HttpRequest, obj: SignInRules, form: Any, *args: Any
    ) -> None:
        """Write the switches to the institution."""
        super().save_model(request, obj, form, *args)
        if switched := [name for name in SWITCHES if name in form.changed_data]:
            for name in switched:
                setattr(obj.institution, name, form.cleaned_data[name])
            obj.institution.save(update_fields=switched)
