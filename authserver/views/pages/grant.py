"""The grant page: may this application act for this user? (spec 4.1, decisions 3.8)."""

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator

from authserver.accounts import factors
from authserver.authorization import granted_access, pending, session
from authserver.authorization.requests import AuthorizationRequest
from authserver.conf import conf
from authserver.models import REFRESH_TOKEN_SCOPE, Institution, Service, User
from authserver.views.pages import answers, steps
from authserver.views.pages.base import message

IDENTITY = {
    "openid": "Recognise your account, by an identifier.",
    "profile": "Read your name and user name.",
    "email": "Read your mail address.",
}
"""What the scopes of OpenID Connect let the application do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that can be allowed or not."""

    scope: str
    name: str
    description: str
    granted_before: bool


class _SignedInStep(steps.StepPage):
    """A page for whoever is signed in at the institution of the pending request."""

    user: User

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Send everybody else to where they have to go first."""
        if (answer := super().prepare(request)) is not None:
            return answer
        user = session.signed_in_for(request, self.pending_request)
        is_open = user is not None and not user.must_change_password
        if user is None or not is_open or factors.is_missing(request, user):
            return self.go_on(self.pending_request)
        self.user = user
        return None


class Grant(_SignedInStep):
    """Allow, narrow or deny; an answer is taken once."""

    template_name = "authserver/grant.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._show()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Take the answer to the application. Nothing ticked is a denial."""
        decision = request.POST.get("decision")
        if decision == "deny":
            return self._deny(request)
        if decision != "allow":
            return self._show("Please allow or deny.", HTTPStatus.BAD_REQUEST)
        return answers.redirect_errors_to_client(
            request,
            self.pending_request.request,
            lambda: steps.finish(
                request,
                self.pending_request,
                user=self.user,
                granted=frozenset(request.POST.getlist("scope")),
                now=self.now,
            ),
        )

    def _deny(self, request: HttpRequest) -> HttpResponse:
        try:
            location = pending.deny(self.pending_request, now=self.now, user=self.user)
        except pending.RequestAlreadyUsed:
            return answers.request_expired_page(request)
        return answers.to_application(location)

    # Browsers apply form-action to the redirect that follows the form, and that one leaves.
    @method_decorator(csp_replace({"form-action": None}))
    def _show(self, problem: str = "", status: int = HTTPStatus.OK) -> HttpResponse:
        authorization = self.pending_request.request
        institution = Institution.objects.get(registry_id=authorization.institution)
        before = granted_access.scopes(
            self.user,
            key_id=authorization.key.pk,
            institution_id=institution.pk,
            now=self.now,
        )
        return self.page(
            status=status,
            problem=problem,
            application=authorization.key.name,
            destination=destination(authorization.redirect_uri),
            institution=institution,
            user=self.user,
            items=_items(authorization, before),
            switch_url=steps.address("switch", self.handle),
            access_url=steps.address("access"),
        )


class Cancel(steps.StepPage):
    """Back to the application, for somebody who cannot or will not sign in."""

    http_method_names = ["get", "post", "options"]

    def post(self, request: HttpRequest) -> HttpResponse:
        """Deny, by a page that goes on by itself: no form may lead elsewhere."""
        try:
            location = pending.deny(self.pending_request, now=self.now)
        except pending.RequestAlreadyUsed:
            return answers.request_expired_page(request)
        return message(request, "leave", HTTPStatus.OK, next_url=location)


class Continue(_SignedInStep):
    """A page that goes on by itself, between a form and the application."""

    template_name = "authserver/continue.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Refresh to ``Finish``, which issues the code."""
        return self.page(
            application=self.pending_request.request.key.name,
            next_url=steps.address("finish", self.handle),
        )


class Finish(steps.StepPage):
    """Issue a code without asking, where all of it was allowed before."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Go to the application, or to the page that has to be shown after all."""
        return answers.redirect_errors_to_client(
            request,
            self.pending_request.request,
            lambda: steps.issue_code_from_saved_consent(
                request, self.pending_request, self.handle, now=self.now
            ),
        )


def destination(redirect_uri: str) -> str:
    """Return in words where an answer goes."""
    parts = urlsplit(redirect_uri)
    if parts.scheme not in {"http", "https"}:
        return f"an application on this device ({parts.scheme})"
    if parts.scheme == "http":
        return f"a program on this device ({parts.netloc})"
    return parts.netloc


def _items(authorization: AuthorizationRequest, before: frozenset[str]) -> list[Item]:
    codes = authorization.scopes.services
    services = Service.objects.in_bulk(codes, field_name="code")
    items = [
        Item(
            scope=code,
            name=services[code].name,
            description=services[code].description,
            granted_before=code in before,
        )
        for code in codes
        if code in services
    ]
    items += [
        Item(
            scope=scope,
            name=granted_access.IDENTITY_NAMES[scope],
            description=IDENTITY[scope],
            granted_before=scope in before,
        )
        for scope in authorization.scopes.identity
    ]
    if authorization.scopes.wants_refresh_token:
        days = max(1, conf.refresh_token_lifetime.days)
        items.append(
            Item(
                scope=REFRESH_TOKEN_SCOPE,
                name="Stay connected",
                description=f"Keep this access for {days} days without asking you again.",
                granted_before=REFRESH_TOKEN_SCOPE in before,
            )
        )
    return items
