"""What webhooks need of authserver: whom to tell, and who keeps their secrets readable."""

from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django_tasks import task

from authserver.accounts import mail
from authserver.conf import conf
from authserver.keys import reencryption
from authserver.models import Institution, ServiceKey
from calendar_events.models import WebhookSubscription
from calendar_events.signals import webhook_disabled

SUBJECT = "A webhook was disabled"


def connect() -> None:
    """Hear of webhooks that are disabled, and have their secrets encrypted anew, too."""
    webhook_disabled.connect(enqueue, dispatch_uid=__name__)
    if WebhookSubscription not in reencryption.MODELS:
        reencryption.MODELS.append(WebhookSubscription)


def enqueue(subscription: int, **_kwargs: Any) -> None:
    """Queue the message to the key's contact, in the transaction of what it tells."""
    tell_contact.enqueue(subscription)


@task()
def tell_contact(subscription_id: int) -> None:
    """Say that a webhook is disabled. Raises ``MailRefused``, to be tried again.

    Says nothing when it is active again, is gone, or nobody is the key's contact.
    """
    rows = WebhookSubscription.objects.exclude(status=WebhookSubscription.Status.ACTIVE)
    webhook = rows.filter(pk=subscription_id).first()
    if webhook is None:
        return
    key = ServiceKey.objects.filter(client_id=webhook.client_id).first()
    if key is None or not key.contact_email:
        return
    found = Institution.objects.filter(registry_id=webhook.institution).first()
    page = reverse("admin:calendar_events_webhooksubscription_change", args=[webhook.pk])
    text = render_to_string(
        "mail/webhook_disabled.txt",
        {"webhook": webhook, "key": key, "admin_url": f"{conf.issuer}{page}"},
    )
    sender = mail.name_of_sender(found)
    mail.send_text(key.contact_email, SUBJECT, text, sender=sender)
