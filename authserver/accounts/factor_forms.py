"""django-allauth's forms of second factors, which also take what no browser would send."""

import json
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as webauthn
from allauth.mfa.webauthn.internal import auth
from django import forms
from django.core.validators import MaxLengthValidator
from django.db import DatabaseError
from fido2.webauthn import UserVerificationRequirement

from authserver.accounts.login_limits import LoginLocked

MOST = 100
MOST_PASSKEYS = 20
MOST_OF_A_CREDENTIAL = 20_000
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

    def clean_credential(self) -> Any:
        """Take what a database stores: Base64 and words. Raises ``ValidationError``."""
        credential = self.cleaned_data["credential"]
        text = json.dumps(credential, ensure_ascii=False)
        if len(text) > MOST_OF_A_CREDENTIAL or not text.isascii() or r"\u0000" in text:
            raise forms.ValidationError(NOT_TAKEN)
        return credential

    def clean(self) -> Any:
        """Take no more passkeys than a person looks through. Raises ``ValidationError``."""
        own = Authenticator.objects.filter(user=self.user, type=Authenticator.Type.WEBAUTHN)
        if own.count() >= MOST_PASSKEYS:
            raise forms.ValidationError(
                f"You have {MOST_PASSKEYS} passkeys. Remove one before you add another."
            )
        return super().clean()


class PasskeyForm(_Untrusted, webauthn.AuthenticateWebAuthnForm):
    """A passkey as the second factor."""


class PasskeyAgainForm(_Untrusted, webauthn.ReauthenticateWebAuthnForm):
    """A passkey of whoever is signed in."""


class PasskeyLoginForm(_Untrusted, webauthn.LoginWebAuthnForm):
    """A passkey as the only factor."""

    def clean_credential(self) -> Authenticator:
        """Require a challenge that asked for a PIN or a finger.

        Those of the other pages do not, and the session keeps them in the same place.
        """
        state = auth.get_state() or {}
        if state.get("user_verification") != UserVerificationRequirement.REQUIRED:
            raise forms.ValidationError(NOT_TAKEN)
        return super().clean_credential()
