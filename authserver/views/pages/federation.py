"""Signing in at an identity provider: the way there, and the way back."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import requests
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare, get_random_string

from authserver import audit
from authserver.authorization import pending, session
from authserver.conf import conf
from authserver.federation import arrivals, invitations, outgoing, refusals
from authserver.federation.adapter import ASKED_AT, INVITED, TRY, Tried
from authserver.federation.oidc import IssuerAdapter
from authserver.federation.refusals import ArrivalRefused
from authserver.models import AuditEvent, SignInMethod
from authserver.views.pages import steps
from authserver.views.pages.base import Page, message
from platform_errors.errors.log import state_reason

HANDLE, INSTITUTION = "handle", "institution"
SHOWN = "invitation_shown"
"""In the session: what proves that the page of an invitation was shown."""
STATUS = {
    "provider_busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "provider_unreachable": HTTPStatus.BAD_GATEWAY,
    "provider_misconfigured": HTTPStatus.BAD_GATEWAY,
    "secret_unreadable": HTTPStatus.BAD_GATEWAY,
    "trip_unknown": HTTPStatus.GONE,
    "invitation_over": HTTPStatus.GONE,
}
"""Where it is not 403."""


class Leave(steps.AtInstitution):
    """Send the browser to a provider of the institution, and remember what for."""

    http_method_names = ["get", "options"]

    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Redirect; the answer finds its way back by what the session keeps."""
        method = (
            SignInMethod.objects.usable()
            .filter(institution=self.institution, provider_id=provider_id[:32])
            .first()
        )
        if method is None:
            return HttpResponseRedirect(self.here("login"))
        if self.pending_request is not None:
            # The trip, and then the time to decide that every request has.
            until = self.now + conf.federation_trip + conf.pending_request_lifetime
            pending.prolong(self.pending_request, until)
        data: dict[str, Any] = {
            HANDLE: self.handle,
            INSTITUTION: self.institution.registry_id,
        }
        reason = request.session.pop(session.ANEW, None)
        if reason == session.FRESH or self._wants_recent():
            data[ASKED_AT] = self.now.timestamp()
        return depart(
            request,
            method,
            next_url=self.here("login"),
            data=data,
            anew=reason is not None or ASKED_AT in data,
        )

    def _wants_recent(self) -> bool:
        """Return whether the application says how recent the sign-in has to be."""
        if self.pending_request is None or self.pending_request.request.openid is None:
            return False
        openid = self.pending_request.request.openid
        return openid.sign_in_since(self.pending_request.asked_at) is not None


class Invitation(Page):
    """Say whose account is to be connected, and where to sign in for it."""

    template_name = "authserver/invitation.html"
    http_method_names = ["get", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the invitation, or begin the trip once the person wants to."""
        found = invitations.read(request.GET.get("token", "").replace("\x00", ""))
        if found is None:
            return refusal(request, ArrivalRefused("invitation_over"))
        user, method = found
        # Only the link of the page goes on, or others could send people past it.
        shown = request.session.get(SHOWN) or get_random_string(22)
        if not constant_time_compare(request.GET.get("go", ""), shown):
            request.session[SHOWN] = shown
            query = {"token": request.GET["token"], "go": shown}
            return self.page(
                user=user, method=method, go_url=steps.address("invitation", **query)
            )
        registry_id = method.institution.registry_id
        data = {INVITED: user.pk, INSTITUTION: registry_id}
        next_url = steps.address("login", institution=registry_id)
        return depart(request, method, next_url=next_url, data=data)


class OidcCallback(Page):
    """Where issuers send people back to; django-allauth's view does the protocol."""

    http_method_names = ["get", "options"]

    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Sign in whom the issuer vouches for, and go on where the trip began."""
        methods = SignInMethod.objects.filter(provider_id=provider_id[:32])
        with outgoing.asked_by(methods.values_list("institution_id", flat=True).first()):
            return arrive(
                request,
                lambda: OAuth2CallbackView.adapter_view(
                    IssuerAdapter(request, provider_id)
                )(request),
            )


def depart(
    request: HttpRequest,
    method: SignInMethod,
    *,
    next_url: str,
    data: dict[str, Any],
    anew: bool = False,
) -> HttpResponse:
    """Redirect to the provider, or say why that cannot be done."""
    state = {"data": data}
    try:
        provider = get_adapter(request).get_provider(request, method.provider_id)
        more = provider.asking_anew() if anew else {}
        with outgoing.asked_by(method.institution_id):
            response: HttpResponse = provider.redirect(
                request, AuthProcess.LOGIN, next_url=next_url, data=data, **more
            )
    except requests.RequestException as error:
        return refusal(request, ArrivalRefused(outgoing.reason(error), state=state))
    except ArrivalRefused as refused:
        refused.state = state
        return refusal(request, refused)
    return response


def arrive(request: HttpRequest, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Take a provider's answer: sign in, show a trial, or say why not."""
    try:
        return answer()
    except SocialApp.DoesNotExist:
        return refusal(request, ArrivalRefused("trip_unknown"))
    except Tried as tried:
        return _trial(request, tried)
    except ArrivalRefused as refused:
        return refusal(request, refused)
    except requests.RequestException as error:
        return refusal(request, ArrivalRefused(outgoing.reason(error)))


def refusal(request: HttpRequest, refused: ArrivalRefused) -> HttpResponse:
    """Say in words why nobody is signed in, and how to go on."""
    data: dict[str, Any] = (refused.state or {}).get("data") or {}
    registry_id = data.get(INSTITUTION, "")
    if refused.is_verified:
        audit.record(
            AuditEvent.Action.ARRIVAL_REFUSED,
            registry_id=registry_id,
            reason=refused.reason,
        )
    handle = data.get(HANDLE, "")
    query = {} if handle else {"institution": registry_id}
    begun = pending.load(handle, binding=session.binding(request), now=timezone.now())
    status = STATUS.get(refused.reason, HTTPStatus.FORBIDDEN)
    response = message(
        request,
        "not_arrived",
        status,
        headers={"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None,
        words=refusals.WORDS[refused.reason],
        back_url=data["back"] if TRY in data else "",
        again_url=steps.address("login", handle, **query) if registry_id else "",
        change_url=steps.address("institution", handle)
        if begun is None or session.can_change_institution(request, begun, handle)
        else "",
        application=begun.request.key.name if begun else "",
        cancel_url=steps.address("cancel", handle),
    )
    return state_reason(response, refused.reason)


def _trial(request: HttpRequest, tried: Tried) -> HttpResponse:
    """Show the claims that arrived and the account that they would make."""
    arrival = tried.arrival
    if tried.state["data"][TRY] != request.user.pk:  # signed out meanwhile
        return refusal(request, ArrivalRefused("trip_unknown"))
    audit.record(
        AuditEvent.Action.ARRIVAL_TRIED,
        actor=request.user.get_username(),
        registry_id=arrival.method.institution.registry_id,
        provider=arrival.method.name,
    )
    reason = arrivals.problem(arrival)
    return message(
        request,
        "tried",
        HTTPStatus.OK,
        arrival=arrival,
        claims=sorted(arrival.claims.items()),
        profile=arrivals.profile(arrival),
        account=None if reason else arrivals.account_of(arrival),
        problem=refusals.WORDS[reason] if reason else "",
        back_url=tried.state["data"]["back"],
    )
