"""A forgotten password: asking for a link, and choosing a new one with it.

django-allauth's views and forms. Nothing here tells whether an account exists: the page
that asks looks for none, and a link works or does not.
"""

from http import HTTPStatus
from typing import Any

from allauth.account.views import PasswordResetFromKeyView, PasswordResetView
from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url

from authserver.accounts import login_limits, password_links
from authserver.accounts.password_forms import ForgottenForm, LinkPasswordForm
from authserver.authorization import session
from authserver.conf import conf
from authserver.models import User
from authserver.views.pages import steps
from authserver.views.pages.base import Page
from platform_errors.errors.catalogue import TooManyRequests


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
    form_class = ForgottenForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "institution": self.institution}

    def form_valid(self, form: Any) -> HttpResponse:
        """Keep what was typed; everybody sees the same page.

        Raises ``TooManyRequests`` for an address that asked too often.
        """
        if seconds := login_limits.seconds_to_wait(
            self.request, "", action="reset_password"
        ):
            raise TooManyRequests(headers={"Retry-After": str(seconds)})
        return super().form_valid(form)

    def get_success_url(self) -> str:
        return self.here("asked")

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
            hours=password_links.hours(),
            login_url=self.here("login"),
            again_url=self.here("forgotten"),
        )


class NewPassword(Page, PasswordResetFromKeyView):
    """Choose a password with a link, which is moved from the address into the session.

    The address holds it in the query, which is logged nowhere; what follows has it neither
    in the address nor in a ``Referer``.
    """

    template_name = "authserver/new_password.html"
    form_class = LinkPasswordForm
    reset_user: User | None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Give django-allauth's view the link, or say that the session has it."""
        key = self.reset_url_key
        if "token" in request.GET:
            key = f"{request.GET.get('link', '')}-{request.GET['token']}"
        response = super().dispatch(request, uidb36="", key=key)
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    def render_to_response(
        self, context: dict[str, Any], **response_kwargs: Any
    ) -> HttpResponse:
        """Show the form, or that the link does not work."""
        if self.reset_user is None:
            return self._over()
        return super().render_to_response(context, **response_kwargs)

    def form_valid(self, form: LinkPasswordForm) -> HttpResponse:
        """Set it once, end what was open, and sign nobody in."""
        link = password_links.LinkForm({"key": self.key})
        with transaction.atomic(), login_limits.keeping_addresses(self.request):
            # As it is now: of two who use the link at once, one finds it used.
            User.objects.select_for_update().filter(pk=form.user.pk).first()
            if not link.is_valid():
                return self._over()
            form.user = self.reset_user = link.reset_user
            super().form_valid(form)
        # Whoever was signed in here is not any more; what this browser had begun goes on.
        self.logout()
        at = form.user.institution
        query = {"institution": at.registry_id} if at else {}
        return HttpResponseRedirect(steps.address("password-done", **query))

    def logout(self) -> None:
        """End the session, and let a request that is under way go on."""
        session.switch_account(self.request)

    def get_success_url(self) -> str:
        """Return an address; where to go on is said above."""
        return steps.address("password-done")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say whose it is, and what a new one ends."""
        user = self.reset_user
        # Not the library's own, which names a page that has the key in its path.
        return super(PasswordResetFromKeyView, self).get_context_data(
            **kwargs,
            user=user,
            institution=user and user.institution,
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
