"""Forms of users, and of the roles that they may be given."""

from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import Group

from authserver.conf import conf
from authserver.models import User
from authserver.models.user import namespace_of


class RoleField(forms.ModelMultipleChoiceField):
    """The roles that may be given, each with what it lets people do."""

    def label_from_instance(self, group: Group) -> str:
        """Return the name, and the words of ``AUTHSERVER["ROLES"]`` for it."""
        words = conf.roles.get(group.name)
        return f"{group.name}: {words}" if words else group.name


class UserCreationForm(BaseUserCreationForm):
    """A new user: where, who, and a first password or an invitation to choose one."""

    invite = forms.BooleanField(
        required=False,
        label="Invite by e-mail",
        help_text="They choose the password themselves; leave it empty below.",
    )

    class Meta:
        model = User
        fields = ["institution", "username", "full_name", "email"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Require a password only where there is no invitation."""
        super().__init__(*args, **kwargs)
        if not conf.sends_mail:
            del self.fields["invite"]
        for name in ("password1", "password2"):
            self.fields[name].required = False

    def clean(self) -> dict[str, Any]:
        """Require either of the two, and an e-mail address to invite."""
        super().clean()
        data = self.cleaned_data
        if not data.get("invite"):
            for name in ("password1", "password2"):
                if not data.get(name) and name not in self.errors:
                    self.add_error(name, self.fields[name].error_messages["required"])
            return data
        if not data.get("email") and "email" not in self.errors:
            self.add_error("email", "An invitation needs an e-mail address.")
        if data.get("password1") or data.get("password2"):
            self.add_error("password1", "The invited person chooses the password.")
        data["password1"] = None  # which no login is right with
        return data


class UserChangeForm(forms.ModelForm):
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
