"""What the endpoints that programs call have in common: strict, uncached, never HTML."""

from datetime import datetime
from typing import Any, ClassVar, NoReturn

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters

from authserver.keys.store import Client
from authserver.oauth import clients
from authserver.oauth.client_generation import PRESENT
from authserver.oauth.client_request import ClientRequest
from authserver.oauth.dialect import CLIENT_ENDPOINT, ENDPOINT
from platform_errors.errors import catalogue
from platform_errors.errors.dialects import Dialect
from platform_errors.errors.handler import handle
from platform_errors.throttling import require_within_rate


@method_decorator(csrf_exempt, name="dispatch")
@method_decorator(sensitive_post_parameters(), name="dispatch")
class Endpoint(View):
    """A view whose every error has the token endpoint's shape (decisions 4)."""

    http_method_names = ["post", "options"]
    generation = PRESENT
    error_dialect: ClassVar[Dialect] = ENDPOINT

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Carry out the request; what is raised becomes the answer."""
        try:
            require_within_rate(request)
            return super().dispatch(request, *args, **kwargs)
        except Exception as exc:  # noqa: BLE001 -- the edge: nothing may leave as HTML
            return handle(exc, {"view": self, "request": request})

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> NoReturn:
        """Refuse in the endpoint's own shape (spec 7.4)."""
        raise catalogue.MethodNotSupported

    @property
    def allowed_methods(self) -> list[str]:
        """What ``Allow`` lists, under the name that DRF's views have for it."""
        return [name.upper() for name in self.http_method_names if hasattr(self, name)]


class ClientEndpoint(Endpoint):
    """An endpoint for clients about their tokens (RFC 7009, RFC 7662)."""

    error_dialect = CLIENT_ENDPOINT

    def authenticate(self, client_request: ClientRequest, now: datetime) -> Client:
        """Return the key of the client.

        Raises what ``clients.authenticate`` does, and ``AuthenticationRequired``.
        """
        if client_request.signature is None and not clients.claimed_id(client_request):
            raise clients.AuthenticationRequired("the request names no client")
        try:
            return clients.authenticate(client_request, self.request, now)
        except clients.SecretMissing as error:
            raise clients.AuthenticationRequired(str(error.detail)) from None
