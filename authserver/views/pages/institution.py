"""The institution page: where does the user log in? (spec 4.1, decisions 3.7)."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from authserver.accounts.forms import SearchForm
from authserver.authorization import pending, session
from authserver.authorization.requests import AuthorizationError
from authserver.models import Institution
from authserver.models.institution import InstitutionQuerySet
from authserver.views.pages import answers, steps
from authserver.views.pages.base import Page

ROWS = 25


class SignIn(Page):
    """Whoever has to sign in first begins at the picker, and comes back to ``next``."""

    http_method_names = ["get", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        session.come_back_to(request, request.GET.get("next", ""))
        return HttpResponseRedirect(steps.address("institution"))


class ChooseInstitution(steps.OptionalStepPage):
    """Search and choose; for a pending request among the key's, else among all."""

    template_name = "authserver/institution.html"

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Let the user choose only where the application did not."""
        answer = super().prepare(request)
        if answer is not None or self.pending_request is None:
            return answer
        if session.can_change_institution(request, self.pending_request, self.handle):
            return None
        return self.go_on(self.pending_request)

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show at most 25 that match, by name."""
        return self._show(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Take the choice, or forget the remembered one."""
        if "forget" in request.POST:
            again = HttpResponseRedirect(steps.address("institution", self.handle))
            session.forget(again)
            return again
        chosen = self._among().filter(
            registry_id=request.POST.get("institution", "").replace("\x00", "")
        )
        institution = chosen.first()
        if institution is None:
            return self._show(
                request,
                problem="This institution cannot be chosen here. Please take another.",
            )
        response = self._go_on(request, institution)
        if "remember" in request.POST:
            session.remember(response, institution)
        return response

    def _go_on(self, request: HttpRequest, institution: Institution) -> HttpResponse:
        if self.pending_request is None:
            query = {"institution": institution.registry_id}
            return HttpResponseRedirect(steps.address("login", **query))
        try:
            chosen = pending.choose_institution(
                self.pending_request, institution.registry_id, now=self.now
            )
        except pending.RequestAlreadyUsed:
            return answers.request_expired_page(request)
        except AuthorizationError as error:
            return answers.render_redirect_interstitial(request, error)
        return self.go_on(chosen)

    def _among(self) -> InstitutionQuerySet:
        active: InstitutionQuerySet = Institution.objects.active()
        if self.pending_request is None:
            return active
        return active.filter(
            pk__in=self.pending_request.request.key.institution_pks.values()
        )

    def _show(self, request: HttpRequest, problem: str = "") -> HttpResponse:
        form = SearchForm(request.GET)
        query = form.cleaned_data["q"] if form.is_valid() else ""
        matching = self._among().matching(query)
        return self.page(
            form=form,
            handle=self.handle,
            application=self.pending_request.request.key.name
            if self.pending_request
            else "",
            problem=problem,
            query=query,
            institutions=list(matching.in_display_order()[:ROWS]),
            total=matching.count(),
            remembered=session.remembered(request, self._among()),
        )
