"""Mail addresses that a person says are theirs: sent a link, and taken once it is used."""

from urllib.parse import urlencode

from allauth.account.fields import EmailField
from allauth.account.forms import AddEmailForm
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.urls import reverse
from django_tasks import task

from authserver.accounts import mail
from authserver.conf import conf


class MailForm(AddEmailForm):
    """django-allauth's: the new address."""

    email = EmailField(max_length=254, label="New e-mail address")


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
