"""What applications asked for and got: requests, consents, codes and tokens.

The values of codes and tokens are stored nowhere.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from authserver.admin.base import ReadOnlyAdmin
from authserver.models import Consent, PendingRequest
from authserver.oauth import tokens
from institution_admin import FewRelatedFilter, bulk
from institution_admin.search import MOST_FOUND

FOR_WHAT = ["user", "application", "institution", "scope"]
HELP = (
    "The beginning of a login, a part of the name or identifier of a key, or a scope. The "
    f"newest {MOST_FOUND:,} rows are found."
)
WHOSE = ["user__login__startswith", "application__client_id", "application__name"]


class _CredentialAdmin(ReadOnlyAdmin):
    """Rows of one kind of credential, each found by whose it is and never by its value."""

    institution_path = "institution"

    def of_institution(self, queryset: QuerySet[Any], institution: Any) -> QuerySet[Any]:
        """Return what users of the institution hold that are not superusers."""
        rows = super().of_institution(queryset, institution)
        return rows.exclude(user__is_superuser=True)

    def belongs_to(self, obj: Any, institution: Any) -> bool:
        """Return whether a user of the institution holds it that is not a superuser."""
        holder = obj.user
        return super().belongs_to(obj, institution) and not (
            holder is not None and holder.is_superuser
        )

    list_filter = ["created", ("institution", FewRelatedFilter)]
    list_select_related = ["user", "application", "institution"]
    search_fields = [*WHOSE, "institution__registry_id", "scope__contains"]
    search_help_text = HELP
    finds_newest = True
    ordering = ["-pk"]  # in the order of issue; ``created`` has no index
    show_full_result_count = False


class _RevocableAdmin(_CredentialAdmin):
    """Tokens: revoked as a family, since one of them could be had back with another."""

    actions = ["revoke"]

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Let those who may change the rows revoke them; nothing else can be changed."""
        permission = f"authserver.change_{self.opts.model_name}"
        return self.is_allowed(request, "change") and request.user.has_perm(permission)

    @admin.action(
        description="Revoke, with all tokens of the same sign-in", permissions=["revoke"]
    )
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Revoke the selected tokens and all that came from the same code."""
        selected = list(queryset.select_related("user", "application", "institution"))
        actor, now = request.user.get_username(), timezone.now()
        for token in selected:
            client_id = token.application.client_id
            tokens.revoke(token, client_id=client_id, actor=actor, now=now)
        bulk.report(request, "Revoked", len(selected), {})


class GrantAdmin(_CredentialAdmin):
    """Authorization codes; they end by themselves within a minute."""

    list_display = ["pk", *FOR_WHAT, "expires", "redeemed_at"]
    fields = [
        *(*FOR_WHAT, "redirect_uri", "created", "expires", "redeemed_at"),
        "failed_verifiers",
    ]


class AccessTokenAdmin(_RevocableAdmin):
    """Access tokens."""

    list_display = ["pk", *FOR_WHAT, "expires", "revoked_at"]
    fields = [*FOR_WHAT, "created", "expires", "revoked_at"]


class RefreshTokenAdmin(_RevocableAdmin):
    """Refresh tokens; a used one stays, so that its second use is recognised."""

    list_display = ["pk", *FOR_WHAT, "expires_at", "revoked"]
    fields = [*FOR_WHAT, "created", "expires_at", "revoked"]


class IDTokenAdmin(ReadOnlyAdmin):
    """Unused; django-oauth-toolkit swaps its models only together."""

    list_display = ["pk", "user", "application", "expires"]
    list_filter = ["expires"]
    list_select_related = ["user", "application"]
    search_fields = WHOSE
    fields = ["user", "application", "expires"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Leave out of the menu what the server keeps for itself."""
        return False


@admin.register(PendingRequest)
class PendingRequestAdmin(ReadOnlyAdmin):
    """Tells support whether a browser arrived, and how far it got."""

    institution_path = "institution"

    _since = ["scope", "created_at", "expires_at", "consumed_at"]
    list_display = ["pk", "key", "institution", *_since]
    list_filter = ["created_at", "consumed_at"]
    list_select_related = ["key", "institution"]
    search_fields = ["key__client_id", "key__name", "institution__registry_id"]
    ordering = ["-created_at", "-pk"]
    fields = ["key", "institution", "redirect_uri", *_since]


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    """Remembered consents; withdrawing one withdraws the application's tokens with it."""

    institution_path = "institution"

    list_display = [
        *("user", "key", "institution", "scope"),
        *("granted_at", "expires_at", "revoked_at"),
    ]
    list_filter = ["granted_at", "revoked_at", ("institution", FewRelatedFilter)]
    list_select_related = ["user", "key", "institution"]
    search_fields = [
        *("user__login__startswith", "key__client_id", "key__name", "scope__contains"),
    ]
    search_help_text = HELP
    finds_newest = True
    ordering = ["-granted_at", "-pk"]
