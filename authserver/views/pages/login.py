"""Signing in at one institution (spec 4.1, decisions 3.9 and decisions 3.10), and out."""

from http import HTTPStatus
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import cached_property

from authserver.accounts import factors, signing_in
from authserver.accounts.forms import LoginForm
from authserver.authorization import session
from authserver.conf import conf
from authserver.federation.ways import Ways, ways_to
from authserver.models import SignInMethod
from authserver.views.pages import steps
from authserver.views.pages.base import Page, message


class Login(steps.AtInstitution, LoginView):
    """Username and password; for a pending request at its institution.

    Without one (somebody opens the my-access page) the institution is in the query. The
    login limits answer in place of this page when they refuse
    (``failures.too_many_attempts``).
    """

    template_name = "authserver/login.html"
    form_class = LoginForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form, unless a user of this institution is signed in already."""
        if (response := self._go_on()) is not None:
            return response
        if (only := self.ways.only) is not None:
            return self._lead_to(only)
        return super().get(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        """Fill in the user name that the application suggests."""
        openid = self.pending_request and self.pending_request.request.openid
        hint = openid.login_hint if openid else ""
        username = hint.removesuffix(f"@{self.institution.registry_id}")
        return {**super().get_initial(), **({"username": username} if username else {})}

    @cached_property
    def ways(self) -> Ways:
        """How people of the institution sign in."""
        return ways_to(self.institution)

    def _lead_to(self, only: SignInMethod) -> HttpResponse:
        """Show a page that goes there by itself: a form may have led here.

        Browsers apply ``form-action 'self'`` to the redirects after a form.
        """
        return message(
            self.request,
            "leaving",
            HTTPStatus.OK,
            institution=self.institution,
            method=only,
            next_url=self.here("leave", only.provider_id),
            change_url=self._change_url(),
        )

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "institution": self.institution}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Go through the stages of signing in, and come back to this address."""
        return signing_in.with_password(
            self.request, form.get_user(), then=self.request.get_full_path()
        )

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say where one signs in, and for what."""
        return super().get_context_data(
            **kwargs,
            institution=self.institution,
            application=self.pending_request.request.key.name
            if self.pending_request
            else "",
            change_url=self._change_url(),
            forgotten_url=self.here("forgotten") if conf.sends_mail else "",
            passkey_url=reverse("mfa_login_webauthn") if factors.offers_passkeys() else "",
            here=self.here("login"),
            was_refused="passkey" in self.request.GET,
            passwords=self.ways.passwords,
            providers=[
                (method.name, self.here("leave", method.provider_id))
                for method in self.ways.methods
            ],
        )

    def _change_url(self) -> str:
        if self.pending_request is None or session.can_change_institution(
            self.request, self.pending_request, self.handle
        ):
            return steps.address("institution", self.handle)
        return ""

    def _go_on(self) -> HttpResponse | None:
        """Return where whoever is signed in here goes next, if anybody is."""
        if self.pending_request is None:
            user = session.signed_in(self.request, self.institution.registry_id)
            if user is None:
                return None
            return HttpResponseRedirect(
                session.wanted(self.request) or steps.address("access")
            )
        step = session.next_step(self.request, self.pending_request, now=self.now)
        if step is session.Step.LOGIN:
            return None
        return self.go_on(self.pending_request)


class SwitchAccount(steps.StepPage):
    """'Use another account': end the session, keep the request."""

    http_method_names = ["get", "post", "options"]

    def post(self, request: HttpRequest) -> HttpResponse:
        """End the login, and go on to the next one."""
        session.switch_account(request)
        request.session[session.ANEW] = session.SWITCH
        return self.go_on(self.pending_request)


class Logout(Page, LogoutView):  # type: ignore[misc]  # the stubs' dispatch is narrower
    """End the session; only a form can, so that no link signs anybody out.

    What this browser had begun is forgotten with it.
    """

    template_name = "authserver/signed_out.html"
    http_method_names = Page.http_method_names  # Django's does not ask first

    def get_success_url(self) -> str:
        """Stay at this very address, whatever its query: the page says that it is done."""
        return self.request.get_full_path()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say whether it is done, or to be asked."""
        return super().get_context_data(
            **kwargs,
            done=not self.request.user.is_authenticated,
            access_url=steps.address("access"),
        )
