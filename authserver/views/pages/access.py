"""My account: sessions, what a user allowed, what is kept, and the own password."""

from http import HTTPStatus
from typing import Any

from allauth.account.utils import has_verified_email
from allauth.account.views import PasswordChangeView
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.utils import timezone
from django.utils.html import format_html
from django.views.generic import FormView

from authserver import audit
from authserver.accounts import factors, personal_data, sessions, signing_in
from authserver.accounts.admin_site import may_enter
from authserver.accounts.forms import NameForm
from authserver.accounts.password_forms import OwnPasswordForm
from authserver.authorization import consents, granted_access, session
from authserver.conf import conf
from authserver.crypto import opaque
from authserver.models import AuditEvent, ServiceKey, Session, User
from authserver.views.pages import steps
from authserver.views.pages.base import message


class OwnPage(steps.OptionalStepPage):
    """A page for whoever is signed in, at an institution or on the platform."""

    user: User
    is_open_before_change = False
    """Whether it is for those who must change their password first."""
    is_open_without_factor = False
    """Whether it is for those who must add a second factor first."""

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Send everybody else to choose an institution and log in."""
        if (answer := super().prepare(request)) is not None:
            return answer
        user = session.account(request)
        if user is None:
            # A sign-in ends at My account without that.
            if self.pending_request is None and request.path != steps.address("access"):
                session.come_back_to(request, request.get_full_path())
            return HttpResponseRedirect(steps.address("institution", self.handle))
        if user.must_change_password and not self.is_open_before_change:
            return HttpResponseRedirect(steps.address("password", self.handle))
        if not self.is_open_without_factor and factors.is_missing(request, user):
            return HttpResponseRedirect(steps.address("factors", self.handle))
        self.user = user
        return None


class MyAccount(OwnPage):
    """Who one is here, where one is signed in, and which applications may act for one."""

    template_name = "authserver/access.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page(
            user=self.user,
            institution=self.user.institution,
            applications=granted_access.applications_for(self.user, self.now),
            sessions=sessions.of(self.user, self.now, current=request.session.session_key),
            may_change_profile=personal_data.may_change_profile(self.user),
            may_enter_admin=may_enter(self.user),
            has_factor=is_mfa_enabled(self.user, factors.STRONG),
            sends_mail=conf.sends_mail,
            is_mail_confirmed=bool(self.user.email)
            and has_verified_email(self.user, self.user.email),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """End sessions, or withdraw one application's consents, codes and tokens."""
        if "session" in request.POST:
            return self._end_sessions(request)
        client_id = request.POST.get("application", "").replace("\x00", "")
        key = ServiceKey.objects.filter(client_id=client_id).first()
        if key is not None:
            consents.revoke(user=self.user, key=key, now=timezone.now())
            messages.success(
                request, format_html("<bdi>{}</bdi> can no longer act for you.", key.name)
            )
        return HttpResponseRedirect(steps.address("access"))

    def _end_sessions(self, request: HttpRequest) -> HttpResponse:
        """End one, or all but this one."""
        mine = opaque.digest(request.session.session_key or "")
        rows = Session.objects.filter(user_id=self.user.pk).exclude(pk=mine)
        if request.POST["session"] != "others":
            rows = rows.filter(pk=request.POST["session"].replace("\x00", ""))
        ended, _ = rows.delete()
        if ended:
            audit.record_account(AuditEvent.Action.LOGGED_OUT, self.user, sessions=ended)
            messages.success(request, "Signed out there.")
        return HttpResponseRedirect(steps.address("access"))


class ChangeName(OwnPage, FormView):
    """The own name, unless an identity provider says it."""

    template_name = "authserver/name.html"
    form_class = NameForm

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Be nowhere for people whose name follows claims. Raises ``Http404``."""
        answer = super().prepare(request)
        if answer is None and not personal_data.may_change_profile(self.user):
            raise Http404
        return answer

    def get_initial(self) -> dict[str, Any]:
        return {"full_name": self.user.full_name}

    def form_valid(self, form: NameForm) -> HttpResponse:
        personal_data.change_name(self.user, form.cleaned_data["full_name"])
        messages.success(self.request, "Your name was changed.")
        return HttpResponseRedirect(steps.address("access"))


class MyData(OwnPage):
    """Everything that is kept about the person, to keep."""

    def get(self, request: HttpRequest) -> HttpResponse:
        signing_in.require_fresh(request)
        return JsonResponse(
            personal_data.everything_about(self.user, self.now),
            json_dumps_params={"indent": 2, "ensure_ascii": False},
            headers={"Content-Disposition": 'attachment; filename="my-account.json"'},
        )


class DeleteAccount(OwnPage):
    """The end of the account, or the wish for it, as the institution decides."""

    template_name = "authserver/delete_account.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        signing_in.require_fresh(request)
        return self.page(user=self.user, institution=self.user.institution)

    def post(self, request: HttpRequest) -> HttpResponse:
        signing_in.require_fresh(request)
        if personal_data.delete(self.user, self.now):
            request.session.flush()
            return message(request, "account_deleted", HTTPStatus.OK)
        messages.success(request, "Your wish is on record.")
        return HttpResponseRedirect(steps.address("access"))


class ChangePassword(OwnPage, PasswordChangeView):
    """The user's own password; an administrator can set or require a new one in the admin.

    A new one ends every session, code and token of the user but this session. A request
    that is under way goes on then.
    """

    template_name = "authserver/password.html"
    form_class = OwnPasswordForm
    is_open_before_change = is_open_without_factor = True

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Lead back who has none: their institution signs them in."""
        answer = super().prepare(request)
        if answer is None and not self.user.has_usable_password():
            return HttpResponseRedirect(steps.address("access"))
        return answer

    def form_valid(self, form: OwnPasswordForm) -> HttpResponse:
        response = super().form_valid(form)
        if self.pending_request is not None:
            return self.go_on(self.pending_request)
        messages.success(self.request, "Your password was changed.")
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say whose it is, and what a new one ends."""
        return super().get_context_data(
            **kwargs,
            user=self.user,
            institution=self.user.institution,
            access_url=steps.address("access"),
            logout_url=steps.address("logout"),
            revokes_tokens=conf.password_change_revokes_tokens,
        )
