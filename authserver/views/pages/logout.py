"""Signing out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from authserver.authorization import session
from authserver.views.pages import steps
from authserver.views.pages.base import Page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class Logout(Page):
    """End the session; only a form can, so that no link signs anybody out."""

    template_name = "authserver/signed_out.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Ask."""
        return self._show(done=not request.user.is_authenticated)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Do it."""
        session.sign_out(request)
        return self._show(done=True)

    def _show(self, *, done: bool) -> HttpResponse:
        return self.page(done=done, access_url=steps.address("access"))
