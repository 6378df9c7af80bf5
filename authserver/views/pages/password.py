"""A forgotten password: asking for a link, and choosing a new one with it.

Django's views and tokens. Nothing here tells whether an account exists: the page that asks
looks for none, and a link works or does not.
"""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import (
    INTERNAL_RESET_SESSION_TOKEN,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url

from authserver import audit
from authserver.accounts import link_requests, links, login_limits
from authserver.accounts.password_forms import ForgottenForm, LinkPasswordForm
from authserver.authorization import session
from authserver.conf import conf
from authserver.models import AuditEvent, PasswordLink
from authserver.views.pages import steps
from authserver.views.pages.base import Page

_LINK = "new_password_link"


class _OffersMail(steps.AtInstitution):
    """A page that is there while mail can be sent."""

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Raise ``Http404`` without mail."""
        if not conf.sends_mail:
            raise Http404
        return super().prepare(request)


class Forgotten(_OffersMail, PasswordResetView):
    """Ask for a link to the mailbox of an account at the institution."""

    template_name = "authserver/forgotten.html"
    form_class: Any = ForgottenForm  # Django's would look for the account here and now

    def form_valid(self, form: Any) -> HttpResponse:
        """Keep what was typed; everybody sees the same page."""
        name = form.cleaned_data["name"]
        link_requests.request_password_reset(self.institution, name, now=self.now)
        return HttpResponseRedirect(self.here("asked"))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say where the account is."""
        return super().get_context_data(
            **kwargs, institution=self.institution, login_url=self.here("login")
        )


class Asked(_OffersMail):
    """What happens now, if there is such an account."""

    template_name = "authserver/asked.html"
    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page(
            institution=self.institution,
            hours=max(1, settings.PASSWORD_RESET_TIMEOUT // 3600),
            login_url=self.here("login"),
            again_url=self.here("forgotten"),
        )


class NewPassword(Page, PasswordResetConfirmView):
    """Choose a password with a link, which is moved from the address into the session.

    The address holds it in the query, which is logged nowhere; what follows has it neither
    in the address nor in a ``Referer``.
    """

    template_name = "authserver/new_password.html"
    form_class = LinkPasswordForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Give Django's view the link that the session holds."""
        response = super().dispatch(
            request,
            uidb64=request.session.get(_LINK, ""),
            token=self.reset_url_token,
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Take a link that works out of the address."""
        if "token" not in request.GET:
            return None
        name, token = request.GET.get("link", ""), request.GET["token"]
        user = self.get_user(name)  # with the tokens of the link
        if not self.token_generator.check_token(user, token):
            return self._over()
        request.session[_LINK] = name
        request.session[INTERNAL_RESET_SESSION_TOKEN] = token
        return HttpResponseRedirect(steps.address("new-password"))

    def get_user(self, uidb64: str) -> Any:
        """Return the account of the link, if it can sign in."""
        return self._user_of(links.find(uidb64))

    def _user_of(self, link: PasswordLink | None) -> Any:
        if link is None:
            return None
        self.token_generator = links.LinkTokens(link)
        return link.user

    def render_to_response(
        self, context: dict[str, Any], **response_kwargs: Any
    ) -> HttpResponse:
        """Show the form, or that the link does not work."""
        if not self.validlink:
            return self._over()
        return super().render_to_response(context, **response_kwargs)

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        """Set it once, end what was open, and sign nobody in."""
        token = self.request.session.get(INTERNAL_RESET_SESSION_TOKEN)
        with transaction.atomic():
            # As it is now: of two who use the link at once, one finds it used.
            user = self._user_of(links.find_locked(self.request.session[_LINK]))
            if not self.token_generator.check_token(user, token):
                return self._over()
            form.user = user
            super().form_valid(form)
            audit.record_account(AuditEvent.Action.PASSWORD_RESET, user)
            login_limits.lift_account(user.login, by=user.login)
        # Whoever was signed in here is not any more; what this browser had begun goes on.
        session.switch_account(self.request)
        at = user.institution
        query = {"institution": at.registry_id} if at else {}
        return HttpResponseRedirect(steps.address("password-done", **query))

    def get_success_url(self) -> str:
        """Return an address; where to go on is said above."""
        return steps.address("password-done")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say whose it is, and what a new one ends."""
        return super().get_context_data(
            **kwargs,
            user=self.user,
            institution=self.user.institution if self.user else None,
            revokes_tokens=conf.password_change_revokes_tokens,
        )

    def _over(self) -> HttpResponse:
        self.template_name = "authserver/link_over.html"
        return self.page(status=HTTPStatus.GONE, offers_mail=conf.sends_mail)


class Done(Page):
    """The new password is set: the way to sign in with it."""

    template_name = "authserver/password_done.html"
    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Link to where one signs in."""
        at = request.GET.get("institution", "")
        login = steps.address("login", institution=at) if at else settings.LOGIN_URL
        return self.page(login_url=resolve_url(login))
