"""Users, within their institution or, for administrators, without one."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.debug import sensitive_post_parameters

from authserver.accounts import password_links, rights, signing_in
from authserver.admin.base import AuditedAdmin
from authserver.admin.user_actions import LEFT, UserActions
from authserver.admin.user_forms import RoleField, UserChangeForm, UserCreationForm
from authserver.admin.user_history import UserHistory
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, User
from institution_admin import FewRelatedFilter, institution_of
from institution_admin.search import MOST_FOUND

PASSWORD_PAGE = "auth_user_password_change"  # noqa: S105 -- Django's name of a page


@admin.register(User)
class UserAdmin(UserActions, UserHistory, AuditedAdmin, DjangoUserAdmin):
    """Create within an institution, set a password, disable, give roles.

    Nobody changes an account with more rights than their own, or gives what they do not
    hold; staff of an institution meet its accounts, superusers aside.
    """

    institution_path = "institution"

    added = changed = deleted = AuditEvent.Action.ACCOUNT_CHANGED
    form = UserChangeForm
    add_form = UserCreationForm
    list_display = ["login", "full_name", "institution", "is_active", "is_staff"]
    list_filter = [
        "is_active",
        "is_staff",
        "groups",
        ("institution", FewRelatedFilter),
    ]
    list_select_related = ["institution"]
    search_fields = ["login", "full_name", "email", "principal_id"]
    search_help_text = (
        "A part of a login, a name, an e-mail address or a principal; one or two letters "
        f"match only the beginning. The newest {MOST_FOUND:,} accounts are found."
    )
    finds_newest = True
    ordering = ["login"]
    autocomplete_fields = ["institution"]
    readonly_fields = [
        *("login", "set_password", "sessions", "logins", "lists", "last_login"),
        "created_at",
    ]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "institution",
                    "username",
                    "login",
                    "set_password",
                    "full_name",
                    "email",
                ]
            },
        ),
        (
            "Principal",
            {
                "description": "How signed requests and token responses name the person.",
                "fields": ["principal_id", "principal_namespace"],
            },
        ),
        (
            "What they may do",
            {
                "fields": [
                    "is_active",
                    "must_change_password",
                    "is_staff",
                    "is_superuser",
                    "groups",
                    "user_permissions",
                ]
            },
        ),
        (
            "History",
            {"fields": ["sessions", "logins", "lists", "last_login", "created_at"]},
        ),
    ]
    add_fieldsets = [
        (
            None,
            {
                "classes": ["wide"],
                "description": "An administrator of the platform has no institution.",
                "fields": [
                    *("institution", "username", "full_name", "email"),
                    *("invite", "password1", "password2"),
                ],
            },
        ),
    ]

    def of_institution(
        self, queryset: QuerySet[User], institution: Institution
    ) -> QuerySet[User]:
        """Return the institution's users that are not superusers."""
        return super().of_institution(queryset, institution).filter(is_superuser=False)

    def belongs_to(self, obj: Any, institution: Institution) -> bool:
        """Return whether it is a user of the institution, and no superuser."""
        return super().belongs_to(obj, institution) and not obj.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse an account with more rights: whoever changes it could become it."""
        return super().has_change_permission(request, obj) and (
            obj is None or not self._exceeds(request, obj)
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse an account with more rights."""
        return super().has_delete_permission(request, obj) and (
            obj is None or not self._exceeds(request, obj)
        )

    def _exceeds(self, request: HttpRequest, account: User) -> bool:
        """Return whether the account may do more; looked up once to show a page."""
        known: dict[Any, bool] = request.__dict__.setdefault("exceeding", {})
        if request.method != "GET" or account.pk not in known:
            known[account.pk] = rights.exceed(account, request.user)
        return known[account.pk]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Name no role to staff of an institution that is not for them."""
        filters = super().get_list_filter(request)
        kept_to = institution_of(request) is not None
        return [each for each in filters if not (kept_to and each == "groups")]

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> User | None:
        """Lock the account that is about to be written.

        Its rights are compared with the row as it is, and no older one is written back.
        """
        found = super().get_object(request, object_id, from_field)
        if found is None or request.method != "POST":
            return found
        rows = self.get_queryset(request).select_for_update(of=("self",))
        return rows.filter(pk=found.pk).first()

    @method_decorator([sensitive_post_parameters(), transaction.atomic])
    def user_change_password(self, request: HttpRequest, *args: Any, **kw: Any) -> Any:
        """Set a password, in the transaction that locks the account."""
        signing_in.require_fresh(request)
        response = super().user_change_password(request, *args, **kw)
        if isinstance(response, HttpResponseRedirect):
            user = User.objects.get(pk=kw["id"])
            get_adapter().send_notification_mail("account/email/password_changed", user)
        return response

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Offer the page of the password to those whom it is open to."""
        first, *others = super().get_fieldsets(request, obj)
        hidden = set() if conf.sends_mail else {"invite"}
        if obj is not None and not self.has_change_permission(request, obj):
            hidden |= {"set_password"}
        title, options = first
        fields = [name for name in options["fields"] if name not in hidden]
        return [(title, {**options, "fields": fields}), *others]

    def save_related(self, request: HttpRequest, form: Any, *args: Any) -> None:
        """Leave roles and permissions behind with the institution they were given for."""
        super().save_related(request, form, *args)
        if getattr(form, "is_moved", False):
            form.instance.groups.clear()
            form.instance.user_permissions.clear()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Show, and do not let change, the rights that only others may give."""
        fixed = [*super().get_readonly_fields(request, obj)]
        if institution_of(request) is not None:
            # A principal names a person to every institution.
            fixed += ["is_staff", "principal_id", "principal_namespace"]
        elif not request.user.is_staff:
            fixed += ["is_staff"]
        if not request.user.is_superuser:
            fixed += ["is_superuser", "user_permissions"]
        return fixed

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Say of each role what it lets people do; bring what permissions are named by."""
        if db_field.name == "groups":
            return RoleField(
                queryset=rights.grantable_groups(request.user),
                widget=forms.CheckboxSelectMultiple(attrs={"class": "radiolist"}),
                required=False,
                label="Roles",
            )
        if db_field.name == "user_permissions":
            kwargs["queryset"] = Permission.objects.select_related("content_type")
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(
        self,
        request: HttpRequest,
        obj: User,
        form: Any,
        change: bool,  # noqa: FBT001 -- Django's
    ) -> None:
        """Save, and say what follows when the person moves to another institution."""
        before = User.objects.select_related("institution").filter(pk=obj.pk).first()
        super().save_model(request, obj, form, change)
        if before is None and form.cleaned_data.get("invite"):
            actor = request.user.get_username()
            if reason := password_links.invite(obj, actor=actor):
                self.message_user(request, f"{LEFT[reason]}.", messages.WARNING)
        if before is None or before.institution == obj.institution:
            return
        stays = (
            f" Events and other records stay at {before.institution}, which the account"
            " may no longer change."
            if before.institution
            else ""
        )
        self.message_user(
            request,
            f"The login is now {obj.login}; {before.login} no longer works.{stays}"
            " Sessions, tokens and roles from before the move have ended.",
            messages.WARNING,
        )

    def named(self, request: HttpRequest, obj: User) -> dict[str, Any]:
        return {
            "subject": obj.login,
            "registry_id": obj.institution.registry_id if obj.institution else "",
        }

    def action_of_change(self, request: HttpRequest) -> AuditEvent.Action:
        """Tell a new password from other changes, by the page that sets it."""
        match = request.resolver_match
        if match is not None and match.url_name == PASSWORD_PAGE:
            return AuditEvent.Action.PASSWORD_CHANGED
        return super().action_of_change(request)

    @admin.display(description="password")
    def set_password(self, user: User) -> str:
        """Link to the page that sets a new one; nothing about the old one is shown."""
        page = reverse(f"admin:{PASSWORD_PAGE}", args=[user.pk])
        return format_html('<a class="button" href="{}">Set a new password</a>', page)
