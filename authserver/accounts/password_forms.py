"""Where people choose a password of their own; each such choice ends a required change."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from authserver.accounts.forms import ADVICE, MAX_PASSWORD_LENGTH
from authserver.models import User

SAME = "This is the password that you have now."


class _OwnChoice(SetPasswordForm):
    """Django's rules for a good password; another one than before."""

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        """Refuse what is too long to be typed before it is hashed."""
        super().__init__(user, *args, label_suffix="", **kwargs)
        self.fields["new_password1"].help_text = ADVICE
        self.fields["new_password2"].help_text = ""
        for field in self.fields.values():
            field.validators.append(MaxLengthValidator(MAX_PASSWORD_LENGTH))
            field.widget.attrs["maxlength"] = MAX_PASSWORD_LENGTH

    @sensitive_variables("data", "new")
    def clean(self) -> dict[str, Any]:
        """Require another password than the one of before. Raises ``ValidationError``."""
        data = super().clean() or {}
        new = data.get("new_password1")
        if new is not None and self.is_same(new):
            self.add_error("new_password1", SAME)
        return data

    @sensitive_variables("new")
    def is_same(self, new: str) -> bool:
        """Return whether it is the password of before."""
        return bool(self.user.check_password(new))

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002 -- Django's
        """Set it; nobody but its owner knows it."""
        self.user.must_change_password = False
        return super().save(commit)


class LinkPasswordForm(_OwnChoice):
    """The new one twice: the mailbox stands for the old one."""


class OwnPasswordForm(_OwnChoice, PasswordChangeForm):
    """The old password once, the new one twice."""

    def __init__(self, user: User, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        """Take the request, whose address the limits of logins count."""
        super().__init__(user, *args, **kwargs)
        self.request = request

    @sensitive_variables("new")
    def is_same(self, new: str) -> bool:
        """Compare with what was typed: no second hash."""
        return new == self.cleaned_data.get("old_password")

    @sensitive_variables("old_password")
    def clean_old_password(self) -> str:
        """Check it like a login: whoever found an open browser gets no free guesses.

        Raises ``ValidationError`` when it is wrong, ``LoginLocked`` when too often.
        """
        old_password: str = self.cleaned_data["old_password"]
        found = get_adapter().authenticate(
            self.request, username=self.user.login, password=old_password
        )
        if found is None:
            raise ValidationError(
                self.error_messages["password_incorrect"], code="password_incorrect"
            )
        return old_password


class ForgottenForm(forms.Form):
    """Who forgot the password: a username, or the e-mail address that is stored."""

    name = forms.CharField(max_length=254)
