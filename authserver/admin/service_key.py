"""Service keys: made, changed, canceled and restored."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import InlineModelAdmin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from authserver.admin import dashboard, key_secret_pages, request_check
from authserver.admin.base import AuditedAdmin, WithState
from authserver.admin.filters import ExpiryFilter, RefusalFilter, UseFilter
from authserver.admin.key_activity import KeyRefusalInline
from authserver.admin.key_links import KeyInstitutionInline, KeyServiceInline
from authserver.keys import secret_links, status
from authserver.models import AuditEvent, KeyRefusal, SecretLink, ServiceKey
from authserver.models.service_key import Status
from institution_admin import bulk, institution_of
from institution_admin.dashboard import Block

Action = AuditEvent.Action
MANY = 50
"""Institutions of a key that are still shown on its page."""


class ServiceKeyForm(forms.ModelForm):
    """A key; when it is made, with or without a secret."""

    make_secret = forms.BooleanField(
        required=False,
        label="Make a secret",
        help_text="For applications on a server. It is shown once, on the next page. "
        "Browser and mobile applications get none, as they cannot keep a secret.",
    )
    by_link = forms.BooleanField(
        required=False,
        label="Hand the secret over by a link",
        help_text="The next page shows a link instead, which shows the secret once, to "
        "the first person who opens it.",
    )

    class Meta:
        model = ServiceKey
        fields = "__all__"  # noqa: DJ007 -- narrowed by the admin's fieldsets


def _institutions_on(key: ServiceKey | None) -> int:
    """Return on how many institutions a stored key is."""
    return 0 if key is None or key.pk is None else key.institution_links.count()


class ServiceKeyAdmin(WithState, AuditedAdmin):
    """Registered through ``OAUTH2_PROVIDER["APPLICATION_ADMIN_CLASS"]``."""

    added = Action.KEY_CREATED
    changed = Action.KEY_CHANGED
    deleted = Action.KEY_DELETED
    names = {"client_id": "client_id"}
    fixed = ["client_id"]
    institution_path = "institutions"
    institution_verbs = frozenset({"view"})

    form = ServiceKeyForm
    change_form_template = "admin/authserver/servicekey/change_form.html"
    list_display = [
        *("name", "client_id", "state", "expires_at", "last_used_at", "kind"),
        "generation",
    ]
    list_filter = [
        "status",
        ExpiryFilter,
        UseFilter,
        RefusalFilter,
        "client_type",
        "old_generation",
        "claimed_https",
        ("services", admin.RelatedOnlyFieldListFilter),
    ]
    search_fields = ["name", "client_id", "redirect_uris"]
    ordering = ["name", "pk"]
    inlines = [KeyServiceInline, KeyInstitutionInline, KeyRefusalInline]
    actions = ["cancel", "restore"]
    readonly_fields = ["secrets_in_words", "created", "updated", "last_used_at"]
    view_on_site = False  # django-oauth-toolkit's own pages are not served

    _identity = ["name", "client_id", "status", "expires_at", "contact_email"]
    _redirects = (
        "Where its users return to",
        {"fields": ["redirect_uris", "post_logout_redirect_uris", "claimed_https"]},
    )
    _history = ["created", "updated", "last_used_at"]
    _compatibility = ("Compatibility", {"fields": ["old_generation"]})

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let what was noted about a key go with it, which nobody deletes by hand."""
        *found, needed, protected = super().get_deleted_objects(objs, request)
        noted = {str(model._meta.verbose_name) for model in (KeyRefusal, SecretLink)}
        return [*found, set(needed) - noted, protected]

    def belongs_to(self, obj: ServiceKey, institution: Any) -> bool:  # type: ignore[override]
        """Return whether the institution is on the key."""
        return obj.institutions.filter(pk=institution.pk).exists()

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Keep the history to the platform: it names other institutions on the key."""
        if institution_of(request) is not None:
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)

    def get_fieldsets(self, request: HttpRequest, obj: ServiceKey | None = None) -> Any:
        """Ask for a secret when the key is made; tell about secrets afterwards."""
        secret = ["make_secret", "by_link"] if obj is None else ["secrets_in_words"]
        more = [] if obj is None else [("History", {"fields": self._history})]
        return [
            (None, {"fields": self._identity}),
            ("Secret", {"fields": secret}),
            self._redirects,
            self._compatibility,
            *more,
        ]

    def get_urls(self) -> list[URLPattern]:
        """Add the pages about secrets, and the one that cancels and restores."""
        pages = key_secret_pages.KeySecretPages(self)
        views: dict[str, tuple[str, Callable[..., HttpResponse]]] = {
            "check/": ("check", request_check.RequestCheck(self).page),
            "<int:key_id>/secret/rotate/": ("rotate_secret", pages.rotate),
            "<int:key_id>/secret/retire/": ("retire_secret", pages.retire),
            "<int:key_id>/switch/": ("switch", pages.switch),
        }
        only = require_http_methods(["GET", "POST"])
        ours = [
            path(
                route,
                self.admin_site.admin_view(only(view)),
                name=f"authserver_servicekey_{name}",
            )
            for route, (name, view) in views.items()
        ]
        return [*ours, *super().get_urls()]

    def response_add(
        self, request: HttpRequest, obj: ServiceKey, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Make the first secret where it was asked for, and show it at once.

        A redirect would have to carry it somewhere.
        """
        if request.POST.keys().isdisjoint({"make_secret", "by_link"}):
            return super().response_add(request, obj, post_url_continue)
        return key_secret_pages.make_secret(self, request, obj, seen=None)

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Say on the first page which keys end."""
        return [dashboard.expiring_keys(self.get_queryset(request))]

    def get_inline_instances(
        self, request: HttpRequest, obj: ServiceKey | None = None
    ) -> list[InlineModelAdmin]:
        """Show institutions on a separate page where there are many."""
        found = super().get_inline_instances(request, obj)
        if _institutions_on(obj) <= MANY:
            return found
        return [each for each in found if not isinstance(each, KeyInstitutionInline)]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Lead to the institutions that are not on the page, and who may to the history."""
        context |= {"shows_history": institution_of(request) is None}
        count = _institutions_on(context.get("original"))
        if count > MANY:
            page = reverse("admin:authserver_keyinstitution_changelist")
            context |= {
                "institutions_count": count,
                "institutions_url": f"{page}?key__id__exact={context['original'].pk}",
            }
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.action(description="Cancel the selected keys", permissions=["change"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[ServiceKey]) -> None:
        """Stop keys at once; what was granted through them ends for good."""
        self._switch(request, queryset, Status.CANCELED, "Canceled")

    @admin.action(description="Restore the selected keys", permissions=["change"])
    def restore(self, request: HttpRequest, queryset: QuerySet[ServiceKey]) -> None:
        """Let canceled keys work again."""
        self._switch(request, queryset, Status.ACTIVE, "Restored")

    def _switch(
        self,
        request: HttpRequest,
        queryset: QuerySet[ServiceKey],
        to: Status,
        done: str,
    ) -> None:
        actor, now = request.user.get_username(), timezone.now()
        changed = [
            status.change(key_id=pk, to=to, actor=actor, now=now)
            for pk in queryset.values_list("pk", flat=True)
        ]
        bulk.report(request, done, sum(changed), {})

    @admin.display(description="generation", ordering="old_generation")
    def generation(self, key: ServiceKey) -> str:
        """Say which clients the key is for."""
        return "old" if key.old_generation else ""

    @admin.display(description="kind")
    def kind(self, key: ServiceKey) -> str:
        """Say whether the key has to authenticate."""
        return "with a secret" if key.has_secret else "public"

    @admin.display(description="secrets")
    def secrets_in_words(self, key: ServiceKey) -> str:
        """Say which secrets work and since when, without revealing them."""
        if not key.has_secret:
            return "None: a public key, which proves itself with PKCE alone."
        link = secret_links.in_words(key)
        since = f"The current one, made {key.secret_created_at:%Y-%m-%d %H:%M} UTC. {link}"
        since = since.rstrip()
        if not key.encrypted_previous_secret:
            return since
        return (
            f"{since} The previous one, made "
            f"{key.previous_secret_created_at:%Y-%m-%d %H:%M} UTC, works too until it is "
            "retired."
        )
