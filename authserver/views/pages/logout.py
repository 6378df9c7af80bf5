"""Signing out."""

from typing import Any

from django.contrib.auth.views import LogoutView

from authserver.views.pages import steps
from authserver.views.pages.base import Page


class Logout(Page, LogoutView):  # type: ignore[misc]  # the stubs' dispatch is narrower
    """End the session; only a form can, so that no link signs anybody out.

    What this browser had begun is forgotten with it.
    """

    template_name = "authserver/signed_out.html"
    http_method_names = Page.http_method_names  # Django's does not ask first

    def get_success_url(self) -> str:
        """Stay at this very address, whatever its query: the page says that it is done."""
        return self.request.get_full_path()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say whether it is done, or to be asked."""
        return super().get_context_data(
            **kwargs,
            done=not self.request.user.is_authenticated,
            access_url=steps.address("access"),
        )
