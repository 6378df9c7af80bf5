"""The login page, at one institution (spec 4.1, decisions 3.9 and 3.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from authserver.accounts.forms import LoginForm
from authserver.authorization import session
from authserver.models import Institution
from authserver.views.pages import steps

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@method_decorator(sensitive_post_parameters("password"), name="dispatch")
class Login(steps.OptionalStepPage):
    """Username and password; for a pending request at its institution.

    Without one (somebody opens the my-access page) the institution is in the query.
    """

    template_name = "authserver/login.html"
    institution: Institution

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Find the institution; without one it has to be chosen first."""
        if (answer := super().prepare(request)) is not None:
            return answer
        if self.found is not None:
            registry_id = self.found.request.institution or ""
        else:
            registry_id = request.GET.get("institution", "").replace("\x00", "")
        institution = Institution.objects.active().filter(registry_id=registry_id).first()
        if institution is None:
            return HttpResponseRedirect(steps.address("institution", self.handle))
        self.institution = institution
        return None

    def get(self, request: HttpRequest) -> HttpResponse:
        """Ask, unless this very institution's user is signed in already."""
        if session.signed_in(request, self.institution.registry_id) is not None:
            return self._go_on(request)
        return self._show(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Log in, with one message for every failure.

        The login limits answer in place of this page when they refuse
        (``failures.too_many_attempts``).
        """
        form = LoginForm(request.POST, request=request, institution=self.institution)
        if not form.is_valid() or form.user is None:
            return self._show(
                request, problem=LoginForm.FAILURE, username=form.typed_username
            )
        session.sign_in(request, form.user, self.institution)
        return self._go_on(request)

    def _go_on(self, request: HttpRequest) -> HttpResponse:
        if self.found is None:
            return HttpResponseRedirect(steps.address("access"))
        return steps.redirect_to_next_step(request, self.found, self.handle, now=self.now)

    def _show(
        self, request: HttpRequest, *, problem: str = "", username: str = ""
    ) -> HttpResponse:
        can_change = self.found is None or session.can_change_institution(
            request, self.found, self.handle
        )
        return self.page(
            institution=self.institution,
            application=self.found.request.key.name if self.found else "",
            change_url=steps.address("institution", self.handle) if can_change else "",
            problem=problem,
            username=username,
        )


class SwitchAccount(steps.StepPage):
    """'Use another account': end the session, keep the request."""

    http_method_names = ["get", "post", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Go back to where the request stands; only a form ends a session."""
        return steps.redirect_to_next_step(request, self.found, self.handle, now=self.now)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Ask for a login again."""
        session.switch_account(request)
        return steps.redirect_to_next_step(request, self.found, self.handle, now=self.now)
