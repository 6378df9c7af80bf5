"""Messages to accounts: from whom they come, what they say."""

from email.utils import formataddr, parseaddr
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from authserver.models import Institution, User


class MailRefused(Exception):
    """The mail server did not take a message. Says why, and to nobody's address."""


def send(user: User, template: str, subject: str, *, to: str = "", **context: Any) -> None:
    """Send a plain text, to the account's stored address if to no other.

    Raises ``MailRefused``.
    """
    sender = name_of_sender(user.institution)
    text = render_to_string(
        f"authserver/mail/{template}.txt",
        {"user": user, "institution": user.institution, "sender": sender, **context},
    )
    send_text(to or user.email, subject, text, sender=sender)


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
