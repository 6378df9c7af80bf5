"""Users, within their institution or, for administrators, without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html

from authserver.accounts import rights
from authserver.admin.base import AuditedAdmin
from authserver.conf import conf
from authserver.models import AuditEvent, User
from authserver.models.user import namespace_of
from platform_errors.admin import institution_of

if TYPE_CHECKING:
    from django.contrib.auth.models import Group
    from django.db.models import QuerySet
    from django.http import HttpRequest

    from authserver.models import Institution

PASSWORD_PAGE = "auth_user_password_change"  # noqa: S105 -- Django's name of a page


class _LoginIsFree(forms.ModelForm):
    """Ask for the derived column what the database would refuse."""

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # Django's hook after validation
        if self.errors:
            return
        user = self.instance
        if user.institution is None and "@" in user.username:
            self.add_error(
                "username",
                ValidationError("Without an institution a username has no @ in it."),
            )
        elif User.objects.filter(login=user.login).exclude(pk=user.pk).exists():
            self.add_error("username", ValidationError("This username is taken there."))


class RoleField(forms.ModelMultipleChoiceField):
    """The roles that may be given, each with what it lets people do."""

    def label_from_instance(self, group: Group) -> str:
        """Return the name, and the words of ``AUTHSERVER["ROLES"]`` for it."""
        words = conf.roles.get(group.name)
        return f"{group.name}: {words}" if words else group.name


class UserCreationForm(_LoginIsFree, BaseUserCreationForm):
    """A new user: where, who, and a first password."""

    class Meta:
        model = User
        fields = ["institution", "username"]


class UserChangeForm(_LoginIsFree):
    """Everything but the password, which has a page of its own."""

    class Meta:
        model = User
        fields = "__all__"  # noqa: DJ007 -- narrowed by the admin's fieldsets
        help_texts = {
            "institution": "A move changes the login; what the person wrote stays behind."
        }

    def clean(self) -> dict[str, Any]:
        """Let the principal's namespace follow the institution that it was made from."""
        super().clean()
        before = User.objects.select_related("institution").get(pk=self.instance.pk)
        made = namespace_of(before.institution) if before.institution else ""
        is_moved = self.cleaned_data.get("institution") != before.institution
        if is_moved and self.cleaned_data.get("principal_namespace") == made:
            self.cleaned_data["principal_namespace"] = ""
        return self.cleaned_data


@admin.register(User)
class UserAdmin(AuditedAdmin, DjangoUserAdmin):
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
        ("institution", admin.RelatedOnlyFieldListFilter),
    ]
    list_select_related = ["institution"]
    search_fields = ["login", "full_name", "email", "principal_id"]
    ordering = ["login"]
    autocomplete_fields = ["institution"]
    readonly_fields = ["login", "set_password", "last_login", "created_at"]
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
                    "is_staff",
                    "is_superuser",
                    "groups",
                    "user_permissions",
                ]
            },
        ),
        ("History", {"fields": ["last_login", "created_at"]}),
    ]
    add_fieldsets = [
        (
            None,
            {
                "classes": ["wide"],
                "description": "An administrator of the platform has no institution.",
                "fields": ["institution", "username", "password1", "password2"],
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
            obj is None or not rights.exceed(obj, request.user)
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse an account with more rights."""
        return super().has_delete_permission(request, obj) and (
            obj is None or not rights.exceed(obj, request.user)
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Show, and do not let change, the rights that only others may give."""
        fixed = [*super().get_readonly_fields(request, obj)]
        if institution_of(request) is not None:
            # A principal names a person to every institution.
            fixed += ["is_staff", "principal_id", "principal_namespace"]
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
            " Sessions and tokens from before the move have ended.",
            messages.WARNING,
        )

    def named(self, request: HttpRequest, obj: User) -> dict[str, Any]:
        """Name the account."""
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
