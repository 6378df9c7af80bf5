"""Where SAML identity providers send people back to, and what they know us by."""

from typing import Any

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import complete_social_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt

from authserver.federation import saml
from authserver.federation.refusals import ArrivalRefused
from authserver.models import SignInMethod
from authserver.views.pages import steps
from authserver.views.pages.base import Page
from authserver.views.pages.federation import arrive


def _method(provider_id: str) -> SignInMethod:
    """Return the provider. Raises ``Http404``."""
    rows = SignInMethod.objects.select_related("institution")
    found = rows.filter(provider_id=provider_id[:32], kind=SignInMethod.Kind.SAML).first()
    if found is None or not found.institution.is_active:
        raise Http404
    return found


# The form comes from the provider: the signature and the browser's session are the proof.
@method_decorator(csrf_exempt, name="dispatch")
class SamlAcs(Page):
    """Verify a response. No cookie came with it, so the browser is sent on."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Redirect with a ticket for what the response said."""
        method = _method(provider_id)

        def answer() -> HttpResponse:
            assertion = saml.verified(method, request.POST.get("SAMLResponse", ""))
            ticket = saml.keep(method.provider_id, assertion)
            return HttpResponseRedirect(
                steps.address("saml-finish", args=[provider_id], ticket=ticket)
            )

        return arrive(request, answer)


class SamlFinish(Page):
    """Sign in whom the response named, in the browser whose request it answers."""

    http_method_names = ["get", "options"]

    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Go on where the trip began."""
        method = _method(provider_id)
        return arrive(request, lambda: _finish(request, method))


def _finish(request: HttpRequest, method: SignInMethod) -> HttpResponse:
    assertion = saml.take(method.provider_id, request.GET.get("ticket", ""))
    provider: Any = get_adapter(request).get_provider(request, method.provider_id)
    try:
        state = provider.unstash_redirect_state(request, assertion.in_response_to)
    except PermissionDenied as error:
        raise ArrivalRefused("trip_unknown") from error
    login = provider.sociallogin_from_response(request, assertion)
    login.state = state
    response: HttpResponse = complete_social_login(request, login)
    return response


class SamlMetadata(Page):
    """How this server is described to a provider."""

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Return the XML."""
        xml = saml.metadata_of(_method(provider_id))
        return HttpResponse(xml, content_type="application/samlmetadata+xml")
