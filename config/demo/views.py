"""The demo client, for a server that runs with ``DEMO=1``."""

from typing import Any

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView, TemplateView


class DemoClient(TemplateView):
    """A browser application that goes through a whole authorization at this server.

    It knows what any public client knows: addresses, its service key and the scopes it
    wants. The same page is the redirect address.
    """

    template_name = "demo/client.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        root = f"/{settings.BASE_MOUNT}{settings.VENDOR_NS}"
        return super().get_context_data(
            **kwargs,
            client={
                "authorize": f"/{settings.AUTH_MOUNT}auth",
                "token": f"/{settings.AUTH_MOUNT}token",
                "revoke": f"/{settings.AUTH_MOUNT}revoke",
                "events": f"{root}/events/v1/events",
                "identity": f"{root}/identity/v1",
                "redirectUri": f"{settings.PUBLIC_URL}/demo/callback",
                "issuer": settings.ISSUER,
                "clientId": "demo-spa",
            },
        )


urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("config.demo.documentation")),
    path("", include("config.demo.issuer")),
    path("demo", RedirectView.as_view(pattern_name="demo")),
    path("demo/", DemoClient.as_view(), name="demo"),
    path("demo/callback", DemoClient.as_view(), name="demo-callback"),
]
