"""The own mail address: changed by its owner, and confirmed by a link."""

from http import HTTPStatus
from typing import Any

from allauth.account.models import EmailConfirmationHMAC
from allauth.account.views import ConfirmEmailView
from allauth.core import ratelimit
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.generic import FormView

from authserver import audit
from authserver.accounts import personal_data, signing_in
from authserver.accounts.confirmation import MailForm
from authserver.conf import conf
from authserver.models import AuditEvent
from authserver.views.pages import steps
from authserver.views.pages.access import OwnPage


class ChangeMail(OwnPage, FormView):
    """A new address, which counts once it is confirmed."""

    template_name = "authserver/mail_address.html"
    form_class = MailForm

    def prepare(self, request: HttpRequest) -> HttpResponse | None:
        """Be nowhere where no mail can be sent or claims say it; ask again who it is."""
        if not conf.sends_mail:
            raise Http404
        answer = super().prepare(request)
        if answer is None:
            if not personal_data.may_change_profile(self.user):
                raise Http404
            signing_in.require_fresh(request)
        return answer

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "user": self.user}

    def form_valid(self, form: MailForm) -> HttpResponse:
        """Send the link, whether or not anybody else has the address."""
        if not ratelimit.consume(self.request, action="manage_email"):
            form.add_error(None, "Too many messages were sent. Please wait an hour.")
            return self.form_invalid(form)
        form.save(self.request)
        messages.success(self.request, "A message is on its way to the new address.")
        return HttpResponseRedirect(steps.address("access"))


class ConfirmMail(OwnPage, ConfirmEmailView):
    """The link, which is of use to the account alone that asked for it."""

    template_name = "authserver/mail_confirm.html"

    def get_object(self, queryset: Any = None) -> EmailConfirmationHMAC:
        """Return what the key in the query confirms. Raises ``Http404``."""
        found = EmailConfirmationHMAC.from_key(self.request.GET.get("key", ""))
        if found is None or found.email_address.user_id != self.user.pk:
            raise Http404
        return found

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask, because programs open links, too."""
        try:
            return self.page(confirmation=self.get_object(), user=self.user)
        except Http404:
            return self.page(HTTPStatus.GONE)

    def respond(self, success: bool) -> HttpResponse:  # noqa: FBT001 -- the library's
        """Say that it is confirmed, on the page of the account."""
        if success:
            audit.record_account(
                AuditEvent.Action.ACCOUNT_CHANGED,
                self.user,
                actor=self.user.login,
                changes="Confirmed another e-mail address.",
            )
            messages.success(self.request, "Your e-mail address is confirmed.")
        return HttpResponseRedirect(steps.address("access"))
