"""Second factors: asked for at a sign-in, added and removed by their owner.

The views are django-allauth's; the pages are in the look of ours.
"""

import json
from typing import Any

from allauth.account import views as account
from allauth.account.adapter import get_adapter
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.base import views as base
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY as NEW_SECRET
from allauth.mfa.webauthn import views as webauthn
from allauth.mfa.webauthn.internal import auth
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy

from authserver.accounts import factor_forms, factors, login_limits, signing_in
from authserver.models import User
from authserver.views.pages import steps
from authserver.views.pages.access import OwnPage
from authserver.views.pages.base import Page

THEN = "then"
"""In the session: where somebody was going who had to add a factor first."""


class _KeepsAddresses:
    """A page whose success does not forgive failures at other accounts."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with login_limits.keeping_addresses(request):
            return super().post(request, *args, **kwargs)  # type: ignore[misc]


class SecondFactor(_KeepsAddresses, Page, base.AuthenticateView):
    """After a right password: a code, or a passkey."""

    template_name = "authserver/second_factor.html"
    webauthn_form_class = factor_forms.PasskeyForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        own = Authenticator.objects.filter(user=self.stage.login.user)
        kinds = set(own.values_list("type", flat=True))
        passkey = Authenticator.Type.WEBAUTHN
        return context | {
            "options": _options(context, "request_options") if passkey in kinds else "",
            "has_codes": bool(kinds - {passkey}),
            "again_url": self.stage.login.redirect_url or reverse("account_login"),
        }


class PasskeyLogin(Page, webauthn.LoginWebAuthnView):
    """A passkey in place of name and password; what was begun goes on in ``next``."""

    form_class = factor_forms.PasskeyLoginForm

    def form_valid(self, form: Any) -> HttpResponse:
        """Begin a session of the passkey's owner."""
        signing_in.end_session(self.request)
        return super().form_valid(form)

    def form_invalid(self, form: Any) -> HttpResponse:
        """Go back to where it was asked for, which says that it did not work."""
        back = get_next_redirect_url(self.request) or reverse("account_login")
        mark = "&" if "?" in back else "?"
        return HttpResponseRedirect(f"{back}{mark}passkey=refused")


class Factors(OwnPage):
    """The second factors of an account, and what each is."""

    template_name = "authserver/factors.html"
    is_open_without_factor = True

    def get(self, request: HttpRequest) -> HttpResponse:
        then = request.GET.get("next", "")
        if self.pending_request is not None:
            then = steps.address("login", self.handle)
        if then and get_adapter().is_safe_url(then):
            request.session[THEN] = then
        is_missing = factors.is_missing(request, self.user)
        found = Authenticator.objects.filter(user=self.user).order_by("created_at", "pk")
        return self.page(
            user=self.user,
            is_missing=is_missing,
            is_required=factors.is_required_of(self.user),
            has_totp=any(row.type == row.Type.TOTP for row in found),
            has_codes=any(row.type == row.Type.RECOVERY_CODES for row in found),
            passkeys=[row for row in found if row.type == row.Type.WEBAUTHN],
            offers_passkeys=factors.offers_passkeys(),
            then="" if is_missing else request.session.pop(THEN, ""),
        )


class _OfFactors(OwnPage):
    is_open_without_factor = True


class AddCodes(_OfFactors, totp.ActivateTOTPView):
    """Codes of an authenticator app."""

    template_name = "authserver/factor_codes.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Encrypt the new secret in the session, where the library keeps it as it is."""
        session = request.session
        if kept := session.pop(NEW_SECRET, ""):
            session[NEW_SECRET] = get_mfa_adapter().decrypt(kept)
        try:
            return super().dispatch(request, *args, **kwargs)
        finally:
            if secret := session.pop(NEW_SECRET, ""):
                session[NEW_SECRET] = get_mfa_adapter().encrypt(secret)


class RemoveCodes(_OfFactors, totp.DeactivateTOTPView):
    template_name = "authserver/factor_remove.html"
    extra_context = {"what": "the codes of your authenticator app"}


class RecoveryCodes(_OfFactors, recovery_codes.ViewRecoveryCodesView):
    """Codes for the day that a phone is lost; each works once."""

    template_name = "authserver/recovery_codes.html"


class NewRecoveryCodes(_OfFactors, recovery_codes.GenerateRecoveryCodesView):
    template_name = "authserver/recovery_codes_new.html"


class AddPasskey(_OfFactors, webauthn.AddWebAuthnView):
    """A passkey, which is a second factor and signs in by itself too."""

    template_name = "authserver/passkey.html"
    form_class = factor_forms.AddPasskeyForm

    @transaction.atomic
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Count and add them one after the other, whoever adds two at once."""
        User.objects.select_for_update().get(pk=self.user.pk)
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Ask for one that knows its owner, by a PIN or a finger."""
        context = super().get_context_data(**kwargs)
        options = auth.begin_registration(self.user, passwordless=True)
        # The library forgets the form with its errors.
        context["form"] = kwargs.get("form") or context["form"]
        return context | {"options": json.dumps(options, cls=DjangoJSONEncoder)}


class RemovePasskey(_OfFactors, webauthn.RemoveWebAuthnView):
    template_name = "authserver/factor_remove.html"
    success_url = reverse_lazy("mfa_index")
    extra_context = {"what": "this passkey"}


class _Again(OwnPage):
    """Fresh sign-in, before what an open browser should not be enough for."""

    template_name = "authserver/again.html"
    is_open_without_factor = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Offer every way that the account has."""
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        others = context["reauthentication_alternatives"]
        return context | {
            "user": self.user,
            "options": _options(context, "request_options"),
            "others": [(_AGAIN[other["id"]], other["url"]) for other in others],
        }


_AGAIN = {
    "reauthenticate": "Use your password",
    "mfa_reauthenticate": "Use a code",
    "mfa_reauthenticate:webauthn": "Use a passkey",
}


class PasswordAgain(_Again, account.ReauthenticateView):
    extra_context = {"autocomplete": "current-password"}


class CodeAgain(_KeepsAddresses, _Again, base.ReauthenticateView):
    extra_context = {"autocomplete": "one-time-code"}


class PasskeyAgain(_KeepsAddresses, _Again, webauthn.ReauthenticateWebAuthnView):
    form_class = factor_forms.PasskeyAgainForm

    def form_invalid(self, form: Any) -> HttpResponse:
        """Say it on the page, where the library would leave it."""
        return self.render_to_response(self.get_context_data(form=form))


def _options(context: dict[str, Any], name: str) -> str:
    """Return what a script hands to the browser, or nothing for a page without passkeys."""
    options = context.get("js_data", {}).get(name)
    return json.dumps(options, cls=DjangoJSONEncoder) if options else ""
