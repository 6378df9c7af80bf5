"""django-allauth's forms of second factors, which also take what no browser would send."""

from typing import Any

from allauth.mfa.webauthn import forms as webauthn
from django import forms
from django.core.validators import MaxLengthValidator
from django.db import DatabaseError

from authserver.accounts.login_limits import LoginLocked

MOST = 100
NOT_TAKEN = "That did not work. Please try again."


class _Untrusted(forms.Form):
    """A form whose JSON and CBOR may be anything, nested as deep as a body is long."""

    def full_clean(self) -> None:
        """Validate. Raises ``LoginLocked`` beyond a limit."""
        try:
            super().full_clean()
        except (LoginLocked, DatabaseError):
            raise
        except Exception:  # noqa: BLE001 -- parsers raise whatever broke them
            self.cleaned_data = {}
            self.add_error(None, NOT_TAKEN)


class AddPasskeyForm(_Untrusted, webauthn.AddWebAuthnForm):
    """A new passkey, and what its owner calls it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["passwordless"]  # all of ours are
        name = self.fields["name"]
        name.initial = self.initial["name"] = ""
        name.help_text = "So that you know it again, such as “Phone”."
        name.widget.attrs["maxlength"] = MOST
        name.validators.append(MaxLengthValidator(MOST))


class PasskeyForm(_Untrusted, webauthn.AuthenticateWebAuthnForm):
    """A passkey as the second factor."""


class PasskeyAgainForm(_Untrusted, webauthn.ReauthenticateWebAuthnForm):
    """A passkey of whoever is signed in."""


class PasskeyLoginForm(_Untrusted, webauthn.LoginWebAuthnForm):
    """A passkey as the only factor."""
