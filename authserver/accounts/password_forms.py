"""django-allauth's forms where people choose a password, within the limits of this app."""

from typing import Any

from allauth.account import forms as account
from allauth.account.adapter import get_adapter
from django import forms
from django.core.validators import MaxLengthValidator
from django.views.decorators.debug import sensitive_variables

from authserver.accounts.forms import ADVICE, MAX_PASSWORD_LENGTH
from authserver.accounts.password_links import ask
from authserver.models import Institution


class _Bounded(forms.Form):
    """No field is longer than a password that is typed; one says what is a good one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "label_suffix": ""})
        for field in self.fields.values():
            field.label = str(field.label).capitalize()  # the library's is in title case
            field.help_text = ""
            field.validators.append(MaxLengthValidator(MAX_PASSWORD_LENGTH))
            field.widget.attrs |= {"maxlength": MAX_PASSWORD_LENGTH, "placeholder": ""}
        self.fields["password1"].help_text = ADVICE


class LinkPasswordForm(_Bounded, account.ResetPasswordKeyForm):
    """The new one twice: the mailbox stands for the old one."""


class OwnPasswordForm(_Bounded, account.ChangePasswordForm):
    """The old password once, the new one twice."""

    @sensitive_variables("typed")
    def clean_oldpassword(self) -> str:
        """Check it like a login: whoever found an open browser gets no free guesses.

        Raises ``ValidationError`` when it is wrong, ``LoginLocked`` when too often.
        """
        typed: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, typed):
            raise get_adapter().validation_error("enter_current_password")
        return typed


class ForgottenForm(account.ResetPasswordForm):
    """Who forgot the password: a username, or the e-mail address that is stored."""

    email = forms.CharField(max_length=254, label="Username or e-mail address")

    def __init__(self, *args: Any, institution: Institution, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.institution = institution

    def clean_email(self) -> str:
        """Return what was typed; nobody is looked for while the page is answered."""
        return str(self.cleaned_data["email"])

    def save(self, *_: Any, **__: Any) -> str:
        """Let a task find the account, at this institution alone."""
        ask(self.institution, self.cleaned_data["email"])
        return ""
