"""Messages to accounts: from whom they come, what they say.

Templates are named as django-allauth names them: ``…_subject.txt`` and ``…_message.txt``.
"""

import json
from email.utils import formataddr, parseaddr
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django_tasks import task

from authserver.conf import conf
from authserver.crypto import encryption
from authserver.models import Institution, User


class MailRefused(Exception):
    """The mail server did not take a message. Says why, and to nobody's address."""


def send(user: User, template: str, *, to: str = "", **context: Any) -> None:
    """Send a plain text, to the account's stored address if to no other.

    Raises ``MailRefused``.
    """
    sender = name_of_sender(user.institution)
    context |= {"user": user, "institution": user.institution, "sender": sender}
    subject = render_to_string(f"{template}_subject.txt", context).strip()
    text = render_to_string(f"{template}_message.txt", context)
    send_text(to or user.email, subject, text, sender=sender)


def notify(user: User, template: str, *, to: str, **context: Any) -> None:
    """Let a task tell ``to``, if it is any, what was changed for the account."""
    if conf.sends_mail and to:
        said = {name: str(value) for name, value in context.items()}
        said |= {"to": to, "at": date_format(timezone.localtime(), "j F Y, H:i e")}
        send_notice.enqueue(user.pk, template, encryption.encrypt(json.dumps(said)))


@task()
def send_notice(user_id: int, template: str, said: str) -> None:
    """Send one, of which the texts are encrypted. Raises ``MailRefused``."""
    user = User.objects.select_related("institution").filter(pk=user_id).first()
    if user is not None:
        send(user, template, **json.loads(encryption.decrypt(said)))


def send_text(to: str, subject: str, text: str, *, sender: str = "") -> None:
    """Send a plain text to an address, from an institution. Raises ``MailRefused``."""
    message = EmailMessage(
        one_line(f"{subject}: {sender}" if sender else subject),
        text,
        from_email=_from(sender),
        to=[to],
        # Answers of machines (out of office) are asked not to come (RFC 3834).
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except SMTPRecipientsRefused as error:
        codes = sorted({str(code) for code, _ in error.recipients.values()})
        raise MailRefused(f"the mail server refused: {', '.join(codes)}") from None
    except SMTPResponseException as error:
        raise MailRefused(f"the mail server refused: {error.smtp_code}") from None
    except (SMTPException, OSError) as error:
        raise MailRefused(f"the mail server failed: {type(error).__name__}") from None


def name_of_sender(institution: Institution | None) -> str:
    """Return whom the message is from, as people read it, on one line."""
    if institution is None:
        return ""
    return one_line(institution.sender_name or institution.name)


def one_line(text: str) -> str:
    """Return text that cannot end a header: without line ends and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _from(sender: str) -> str:
    own, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return formataddr((sender or own, address))
