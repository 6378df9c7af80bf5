"""Where a link leads that hands over the secret of a key."""

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_variables

from authserver import audit
from authserver.keys import secret_links
from authserver.models import AuditEvent
from authserver.oauth import failures
from authserver.views.pages.base import Page, message

REFUSED = AuditEvent.Action.SECRET_LINK_REFUSED


class ShowSecret(Page):
    """Show a button, then the secret: what only fetches a link does not use it up.

    Unknown, used, expired and revoked links have one answer, and are counted by address.
    """

    template_name = "authserver/secret.html"
    now: datetime
    token: str

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Keep the page, and the address that it was found at, to the reader."""
        response = super().dispatch(request, *args, **kwargs)
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Look at nothing for who tries too many. Raises ``TooManyRequests``."""
        self.now = timezone.now()
        failures.require_place_within_limit(REFUSED, self.now)
        self.token = request.GET.get("token", "")
        return None

    def get(self, request: HttpRequest) -> HttpResponse:
        """Say what waits here."""
        link = secret_links.find(self.token, self.now)
        if link is None:
            return self._refuse()
        return self.page(key=link.key, expires_at=link.expires_at)

    @method_decorator(sensitive_variables("shown"))
    def post(self, request: HttpRequest) -> HttpResponse:
        """Show the secret, the first time."""
        shown = secret_links.show(self.token, self.now)
        if shown is None:
            return self._refuse()
        return self.page(shown=shown)

    def _refuse(self) -> HttpResponse:
        if failures.count(REFUSED, "", self.now):
            client_id = secret_links.client_id_of(self.token)
            audit.record(REFUSED, client_id=client_id, at=self.now)
        return message(self.request, "secret_gone", HTTPStatus.NOT_FOUND)
