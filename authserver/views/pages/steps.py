"""Pages of a pending authorization request, and the way from one to the next."""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from authserver.authorization import pending, session
from authserver.authorization.pending import Pending
from authserver.authorization.requests import AuthorizationError
from authserver.models import Institution, User
from authserver.views.pages import answers
from authserver.views.pages.base import Page

HANDLE = "request"
"""The query parameter that carries the handle from page to page."""


def address(page: str, handle: str = "", *, args: Sequence[str] = (), **query: str) -> str:
    """Return the address of a page of ours, for a pending request if there is one."""
    values = ({HANDLE: handle} if handle else {}) | query
    path = reverse(f"authserver:{page}", args=args)
    return f"{path}?{urlencode(values)}" if values else path


def redirect_to_next_step(
    request: HttpRequest, pending_request: Pending, handle: str, *, now: datetime
) -> HttpResponse:
    """Redirect to the page that the pending request waits for.

    Always a page of ours, because a form may have led here (see
    ``answers.render_redirect_interstitial``).
    """
    step = session.next_step(request, pending_request, now=now)
    page = "continue" if step is session.Step.FINISH else step.value
    return HttpResponseRedirect(address(page, handle))


def finish(
    request: HttpRequest,
    pending_request: Pending,
    *,
    user: User,
    granted: frozenset[str],
    now: datetime,
) -> HttpResponse:
    """Issue a code, or the error that came in between, and go to the application."""
    try:
        location = pending.issue_code(
            pending_request,
            user=user,
            granted=granted,
            authentication=session.authentication(request),
            now=now,
        )
    except pending.RequestAlreadyUsed:
        return answers.request_expired_page(request)
    except AuthorizationError as error:
        return answers.error_response(request, error)
    return answers.to_application(location)


def issue_code_from_saved_consent(
    request: HttpRequest, pending_request: Pending, handle: str, *, now: datetime
) -> HttpResponse:
    """Issue a code for what was allowed before; ask where that is not all of it."""
    user = session.signed_in_for(request, pending_request)
    if (
        session.next_step(request, pending_request, now=now) is not session.Step.FINISH
        or user is None
    ):
        return redirect_to_next_step(request, pending_request, handle, now=now)
    granted = frozenset(pending_request.request.scopes.tokens)
    return finish(request, pending_request, user=user, granted=granted, now=now)


class OptionalStepPage(Page):
    """A page that serves a pending request, or nobody's in particular."""

    handle: str
    pending_request: Pending | None
    now: datetime

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Load the pending request, if one is named."""
        self.now = timezone.now()
        self.handle = request.GET.get(HANDLE, "")
        self.pending_request = None
        return self._load(request) if HANDLE in request.GET else None

    def go_on(self, pending_request: Pending) -> HttpResponse:
        """Redirect to the page that the request waits for."""
        return redirect_to_next_step(
            self.request, pending_request, self.handle, now=self.now
        )

    def _load(self, request: HttpRequest) -> HttpResponse | None:
        self.pending_request = pending.load(
            self.handle, binding=session.binding(request), now=self.now
        )
        if self.pending_request is None:
            return answers.request_expired_page(request)
        # Key, services and institutions may have changed since the page before.
        try:
            self.pending_request.check(self.now)
        except AuthorizationError as error:
            return answers.render_redirect_interstitial(request, error)
        return None


class AtInstitution(OptionalStepPage):
    """A page at the institution of a pending request, or at the one in the query."""

    institution: Institution

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Find the institution; without one it has to be chosen first."""
        if (answer := super().prepare(request)) is not None:
            return answer
        if self.pending_request is not None:
            registry_id = self.pending_request.request.institution or ""
        else:
            registry_id = request.GET.get("institution", "").replace("\x00", "")
        institution = Institution.objects.active().filter(registry_id=registry_id).first()
        if institution is None:
            return HttpResponseRedirect(address("institution", self.handle))
        self.institution = institution
        return None

    def here(self, page: str, *args: str) -> str:
        """Return the address of another page at this institution."""
        if self.pending_request is not None:
            return address(page, self.handle, args=args)
        return address(page, args=args, institution=self.institution.registry_id)


class StepPage(OptionalStepPage):
    """A page for a pending request of this browser; anything else is told in words."""

    pending_request: Pending

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Load the pending request, which must be named."""
        return super().prepare(request) or (
            None if HANDLE in request.GET else answers.request_expired_page(request)
        )

    def get(self, request: HttpRequest) -> HttpResponse:
        """Go to where the request stands; of most of these pages a form does more."""
        return self.go_on(self.pending_request)
