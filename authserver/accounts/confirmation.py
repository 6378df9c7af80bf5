"""Mail addresses that a person says are theirs: sent a link, and taken once it is used."""

from urllib.parse import urlencode

from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.core import ratelimit
from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django_tasks import task

from authserver.accounts import mail
from authserver.conf import conf
from authserver.models import User


class MailForm(forms.Form):
    """The new address."""

    email = forms.EmailField(max_length=254, label="New e-mail address")

    def __init__(self, *args: object, request: HttpRequest, user: User) -> None:
        """Take the person, whose messages are limited."""
        super().__init__(*args)  # type: ignore[arg-type]
        self.request, self.user = request, user

    def clean(self) -> None:
        """Refuse more messages than anybody needs. Raises ``ValidationError``."""
        super().clean()
        if not self.errors and not ratelimit.consume(
            self.request, action="manage_email", user=self.user
        ):
            raise forms.ValidationError("Too many messages were sent. Please wait an hour.")

    def save(self) -> None:
        """Remember the address, and let a message be sent to it."""
        address = self.cleaned_data["email"]
        EmailAddress.objects.add_new_email(self.request, self.user, address)


@task()
def send_confirmation(address_id: int) -> None:
    """Send the link to an address that is not confirmed. Raises ``MailRefused``."""
    rows = EmailAddress.objects.select_related("user__institution")
    address = rows.filter(pk=address_id, verified=False).first()
    if address is None:
        return
    query = urlencode({"key": EmailConfirmationHMAC.create(address).key})
    mail.send(
        address.user,
        "account/email/email_confirmation",
        to=address.email,
        link=f"{conf.issuer}{reverse('account_confirm_email')}?{query}",
    )
