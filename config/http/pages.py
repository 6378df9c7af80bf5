"""The front door, and what crawlers and browsers look for at the root."""

import datetime as dt
from typing import Any

from django.conf import settings
from django.http import Http404
from django.templatetags.static import static
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.generic import RedirectView, TemplateView

VALIDITY_DAYS = 90  # for so long a reader may rely on the contacts (Expires of RFC 9116)


class Home(TemplateView):
    """Say what this server is and where its doors are."""

    template_name = "home.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        root = f"/{settings.BASE_MOUNT}{settings.VENDOR_NS}"
        return super().get_context_data(
            **kwargs,
            demo=settings.DEMO,
            auth_mount=f"/{settings.AUTH_MOUNT}",
            events_root=f"{root}/events/v1",
            identity=f"{root}/identity/v1",
        )


class Robots(TemplateView):
    """Tell crawlers what is for people who sign in and for programs, not for them."""

    template_name = "robots.txt"
    content_type = "text/plain; charset=utf-8"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """List paths; what the authorization server has below its mount, one by one."""
        mount = f"/{settings.AUTH_MOUNT}"
        names = [""] if settings.AUTH_MOUNT else ["auth", "login", "access", "token"]
        closed = [
            "/admin/",
            "/demo",
            f"/{settings.BASE_MOUNT}{settings.VENDOR_NS}/identity/",
        ]
        return super().get_context_data(
            **kwargs, paths=[*closed, *(f"{mount}{name}" for name in names)]
        )


class Icon(RedirectView):
    """The icon, where browsers look for one that no page names."""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        """Return the address of the pages' icon."""
        return static("authserver/icon.svg")


class SecurityContact(TemplateView):
    """Where to report a vulnerability (RFC 9116), where ``SECURITY_CONTACT`` says so."""

    template_name = "security.txt"
    content_type = "text/plain; charset=utf-8"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Name the contacts. Raises ``Http404`` without one."""
        if not settings.SECURITY_CONTACT:
            raise Http404
        expires = timezone.now().replace(microsecond=0) + dt.timedelta(days=VALIDITY_DAYS)
        return super().get_context_data(
            **kwargs,
            contacts=settings.SECURITY_CONTACT,
            expires=expires.isoformat(),
            canonical=f"{settings.ISSUER}/.well-known/security.txt",
        )


urlpatterns: list[URLPattern] = [
    path("", Home.as_view(), name="home"),
    path("robots.txt", Robots.as_view()),
    path(".well-known/security.txt", SecurityContact.as_view()),
    path("favicon.ico", Icon.as_view()),
]
