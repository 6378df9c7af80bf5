"""Forms of users, and of the roles that they may be given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import ValidationError

from authserver.conf import conf
from authserver.models import User
from authserver.models.user import namespace_of

if TYPE_CHECKING:
    from django.contrib.auth.models import Group


class _LoginIsFree(forms.ModelForm):
    """Validate the login, which is derived and which the database keeps unique."""

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
        self.is_moved = self.cleaned_data.get("institution") != before.institution
        if self.is_moved and self.cleaned_data.get("principal_namespace") == made:
            self.cleaned_data["principal_namespace"] = ""
        return self.cleaned_data
