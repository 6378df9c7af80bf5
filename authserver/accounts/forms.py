"""What people type, before anything believes it."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.views.decorators.debug import sensitive_variables

from authserver.accounts.mail import one_line
from authserver.models import Institution, User
from authserver.parsing.usernames import normalise_username

MAX_PASSWORD_LENGTH = 1024
MAX_USERNAME_LENGTH = 150
MAX_QUERY_LENGTH = 100
ADVICE = "At least twelve characters; no common word, not only digits, not your own name."


class SearchForm(forms.Form):
    """What is looked for on the institution page; anything unusable is no search."""

    q = forms.CharField(required=False, max_length=MAX_QUERY_LENGTH)


class LoginForm(AuthenticationForm):
    """A username and a password at one institution.

    There is one message for every failure: unknown, wrong, disabled, malformed, too long,
    so that nobody learns which accounts there are.
    """

    error_messages = {
        "invalid_login": "The username or the password is not right. Please try again."
    }

    username = forms.CharField(max_length=MAX_USERNAME_LENGTH)
    password = forms.CharField(max_length=MAX_PASSWORD_LENGTH, strip=False)

    def __init__(self, *args: Any, institution: Institution, **kwargs: Any) -> None:
        """Take Django's arguments, and the institution to log in at."""
        super().__init__(*args, **kwargs)
        self.institution = institution
        # Django's own is that of the model's login, which names the institution too.
        self.fields["username"].max_length = MAX_USERNAME_LENGTH  # type: ignore[attr-defined]

    def clean_username(self) -> str:
        """Return the one spelling of the name (NFKC, without case)."""
        return normalise_username(self.cleaned_data["username"])

    @sensitive_variables("data")
    def clean(self) -> dict[str, Any]:
        """Log in, through every configured backend and the login limits.

        Raises ``ValidationError`` with the one message, or ``LoginLocked``.
        """
        data = self.cleaned_data
        if not self.errors:
            self.user_cache = get_adapter().authenticate(
                self.request,
                institution=self.institution,
                username=data["username"],
                password=data["password"],
            )
        if self.user_cache is None:
            raise self.get_invalid_login_error()
        return data


class NameForm(forms.ModelForm):
    """What people are called."""

    class Meta:
        model = User
        fields = ["full_name"]
        labels = {"full_name": "Name"}

    def clean_full_name(self) -> str:
        """Return it on one line, as mails and lists show it."""
        return one_line(self.cleaned_data["full_name"])
