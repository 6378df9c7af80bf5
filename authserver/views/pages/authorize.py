"""The authorization endpoint: where an application sends its user (spec 4.1)."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt

from authserver.authorization import requests, session
from authserver.federation.ways import only_way
from authserver.oauth.client_generation import PRESENT
from authserver.views.pages import answers, steps
from authserver.views.pages.base import Page
from platform_errors.http import urlencoded


# A POST changes nothing here: it is answered with 405, not with a missing CSRF token.
@method_decorator(csrf_exempt, name="dispatch")
class Authorize(Page):
    """Validate everything before any page, keep the request, and show the first page."""

    generation = PRESENT
    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest, registry_id: str | None = None) -> HttpResponse:
        """Go to the institution, login or grant page, or straight back (decisions 3)."""
        now = timezone.now()
        try:
            authorization = requests.validate(
                urlencoded.query_bytes(request.META.get("QUERY_STRING", "")),
                registry_id=registry_id,
                now=now,
                generation=self.generation,
            )
        except requests.AuthorizationError as error:
            return answers.error_response(request, error)
        return answers.redirect_errors_to_client(
            request, authorization, lambda: _begin(request, authorization, now)
        )


def _begin(
    request: HttpRequest, authorization: requests.AuthorizationRequest, now: datetime
) -> HttpResponse:
    openid = authorization.openid
    if openid is not None and openid.is_silent:
        try:
            authorization = session.require_no_page(request, authorization, now=now)
        except requests.AuthorizationError as error:
            return answers.error_response(request, error)
    handle, pending_request = session.begin(request, authorization, now=now)
    if session.next_step(request, pending_request, now=now) is session.Step.LOGIN and (
        only := only_way(authorization.institution or "")
    ):
        return HttpResponseRedirect(steps.address("leave", handle, args=[only.provider_id]))
    return steps.issue_code_from_saved_consent(request, pending_request, handle, now=now)
