"""``/doc``: the OpenAPI document, and a page that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from csp.decorators import csp_update
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from calendar_events.api import responses
from calendar_events.api.base import EventsView
from calendar_events.api.dialect import EVENTS
from calendar_events.api.schema import document
from platform_errors.errors.catalogue import MethodNotSupported
from platform_errors.errors.handler import error_response

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request


class Schema(EventsView):
    """``GET {events_root}/doc``."""

    operation_id = "readDocument"

    def retrieve(self, request: Request) -> HttpResponseBase:
        """Answer with the document."""
        return responses.fixed(request, document.current())


# Swagger UI writes styles into its elements while it draws.
STYLES_OF_THEIR_OWN = {"style-src": "'unsafe-inline'"}


@method_decorator(csrf_exempt, name="dispatch")  # it only shows
@method_decorator(csp_update(STYLES_OF_THEIR_OWN), name="dispatch")
class Documentation(View):
    """``GET {events_root}/doc/swagger``, for people.

    Of the policy for content only the styles are loosened, and nothing that a user wrote
    is on the page.
    """

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the page; all it needs is served from here."""
        context = {"schema_url": reverse("calendar_events:doc")}
        return render(request, "calendar_events/swagger.html", context)

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Refuse in the words of the interface."""
        allowed = ", ".join(self.http_method_names).upper()
        refusal = MethodNotSupported(headers={"Allow": allowed})
        return error_response(refusal, request, EVENTS)
