"""My access: what a user allowed, how to take it back, and the user's own password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpResponseRedirect
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.debug import sensitive_post_parameters

from authserver import audit
from authserver.accounts.forms import OwnPasswordForm
from authserver.authorization import consents, granted_access, session
from authserver.conf import conf
from authserver.models import AuditEvent, ServiceKey
from authserver.views.pages import steps
from authserver.views.pages.base import Page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from authserver.models import User


class OwnPage(Page):
    """A page for whoever is signed in at an institution."""

    user: User

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Send everybody else to choose an institution and log in."""
        user = session.signed_in(request)
        if user is None:
            return HttpResponseRedirect(steps.address("institution"))
        self.user = user
        return None


class MyAccess(OwnPage):
    """Every application that may act for the user; withdrawing ends all it holds."""

    template_name = "authserver/access.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """List them."""
        return self.page(
            user=self.user,
            institution=self.user.institution,
            applications=granted_access.applications_for(self.user, timezone.now()),
            password_url=steps.address("password"),
            logout_url=steps.address("logout"),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """Withdraw one application's consents, codes and tokens."""
        client_id = request.POST.get("application", "").replace("\x00", "")
        key = ServiceKey.objects.filter(client_id=client_id).first()
        if key is not None:
            consents.revoke(user=self.user, key=key, now=timezone.now())
            messages.success(
                request, format_html("<bdi>{}</bdi> can no longer act for you.", key.name)
            )
        return HttpResponseRedirect(steps.address("access"))


@method_decorator(sensitive_post_parameters(), name="dispatch")
class ChangePassword(OwnPage):
    """The user's own password; an administrator can set a new one in the admin."""

    template_name = "authserver/password.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Ask for the old one and the new one."""
        return self._show(OwnPasswordForm(self.user, request=request))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Change it, which ends every session, code and token of the user but this one."""
        form = OwnPasswordForm(self.user, request.POST, request=request)
        if not form.is_valid():
            return self._show(form)
        form.save()
        session.keep_after_password_change(request, self.user)
        audit.record_account(AuditEvent.Action.PASSWORD_CHANGED, self.user)
        messages.success(request, "Your password was changed.")
        return HttpResponseRedirect(steps.address("access"))

    def _show(self, form: OwnPasswordForm) -> HttpResponse:
        return self.page(
            form=form,
            user=self.user,
            institution=self.user.institution,
            access_url=steps.address("access"),
            revokes_tokens=conf.password_change_revokes_tokens,
        )
