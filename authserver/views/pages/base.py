"""What every page has in common."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from platform_errors.errors.catalogue import TooManyRequests
from platform_errors.throttling import require_within_rate


@method_decorator(sensitive_post_parameters(), name="dispatch")
@method_decorator(never_cache, name="dispatch")
class Page(View):
    """A page that no cache keeps, and that answers every method with words.

    No error report shows what was sent to it, whatever breaks: its own preparation, too,
    which comes before the views of Django that some pages are.

    What a page cannot do now, it raises (``platform_errors.errors.django_handlers``).

    Frame denial, the referrer policy and the content security policy are the project's
    defaults (``config/settings.py``); only the grant page replaces one of them.
    """

    template_name: str
    http_method_names: list[str] = ["get", "post", "head", "options"]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Prepare, and answer at once when that is all there is to say."""
        try:
            require_within_rate(request)
            return self.prepare(request) or super().dispatch(request, *args, **kwargs)
        except TooManyRequests as error:
            return too_many_requests(request, error.headers["Retry-After"])

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Load what every method needs; an answer ends the request."""
        return None

    def page(self, status: int = HTTPStatus.OK, **context: Any) -> HttpResponse:
        """Show this page's template."""
        return render(self.request, self.template_name, context, status=status)

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """405 with words; ``Allow`` says what the address answers to."""
        allowed = ", ".join(self._allowed_methods())  # type: ignore[attr-defined]  # not in the stubs
        return message(
            request, "405", HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": allowed}
        )


def message(
    request: HttpRequest,
    name: str,
    status: int,
    *,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HttpResponse:
    """Show a page that says one thing: a template that extends ``message.html``."""
    response = render(request, f"authserver/{name}.html", context, status=status)
    for header, value in (headers or {}).items():
        response[header] = value
    return response


@never_cache
def too_many_requests(request: HttpRequest, seconds: str = "60") -> HttpResponse:
    """429 with words: the rate of this address is used up (decisions 3.10).

    Also ``handler429``, for limits of django-allauth, which does not say how long they are.
    """
    return message(
        request,
        "429",
        HTTPStatus.TOO_MANY_REQUESTS,
        headers={"Retry-After": seconds},
        seconds=seconds,
    )
