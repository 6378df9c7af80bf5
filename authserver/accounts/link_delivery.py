"""Links on their way: for which account, and to its mailbox. Background tasks.

Whether an account exists is looked for here and not while the page is answered, so that
nobody can tell by the time that it takes. Tasks may run more than once, and know ids only.
"""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django_tasks import task

from authserver import audit
from authserver.accounts import links, mail
from authserver.accounts.admin_site import may_enter
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, PasswordLink, User

Purpose = PasswordLink.Purpose
MOST_ACCOUNTS = 5
"""Of one e-mail address: so many of its accounts get a message."""
SUBJECTS = {
    Purpose.RESET: "Choose a new password",
    Purpose.INVITATION: "Your account",
}


@task()
def find_account(link_id: int) -> None:
    """Find the accounts that a typed name means, and queue a message to each."""
    with transaction.atomic():
        link = (
            PasswordLink.objects.select_for_update(of=("self",))
            .select_related("institution")
            .filter(pk=link_id, decided_at=None)
            .first()
        )
        if link is None or link.institution is None:
            return
        now = timezone.now()
        # What was typed is of no more use, and may be anything.
        PasswordLink.objects.filter(pk=link.pk).update(decided_at=now, name="")
        users = _named(link.institution, link.name)
        if not users:
            _record(link, None, "unknown_account")
        for user in users:
            reason = refusal(user, now)
            _record(link, user, reason)
            if not reason:
                send_link.enqueue(_own_row(link, user, now).pk)


@task()
def send_link(link_id: int) -> None:
    """Send one message, if it has not been. Raises ``MailRefused``, to be tried again."""
    link = (
        PasswordLink.objects.select_related("user__institution")
        .filter(pk=link_id, sent_at=None, user__isnull=False)
        .first()
    )
    if link is None or link.user is None:
        return
    if not link.user.email or not links.may_use(link.user):
        return
    mail.send(
        link.user,
        link.purpose,
        SUBJECTS[Purpose(link.purpose)],
        link=links.address_of(link, link.user),
        hours=max(1, settings.PASSWORD_RESET_TIMEOUT // 3600),
        admin_url=f"{conf.issuer}{reverse('admin:index')}" if may_enter(link.user) else "",
    )
    PasswordLink.objects.filter(pk=link.pk).update(sent_at=timezone.now())


def refusal(user: User, now: datetime) -> str:
    """Return why the account gets no message; empty when it gets one.

    Words: ``disabled``, ``no_email``, ``too_many``. Call it in a transaction: the account
    is locked, so that two that ask do not both find room below the limit.
    """
    User.objects.select_for_update().filter(pk=user.pk).first()
    if not links.may_use(user):
        return "disabled"
    if not user.email:
        return "no_email"
    since = now - conf.password_mail_window
    sent = PasswordLink.objects.filter(user=user, asked_at__gt=since)
    return "too_many" if sent.count() >= conf.password_mails_per_account else ""


def _named(institution: Institution, name: str) -> list[User]:
    """Return the account of this username, or those of this e-mail address."""
    found = list(User.objects.at(institution, name).select_related("institution"))
    if found or "@" not in name:
        return found
    same = User.objects.filter(institution=institution, email__iexact=name.strip())
    return list(same.select_related("institution").order_by("pk")[:MOST_ACCOUNTS])


def _own_row(link: PasswordLink, user: User, now: datetime) -> PasswordLink:
    return PasswordLink.objects.create(
        purpose=link.purpose,
        institution=link.institution,
        user=user,
        address=link.address,
        request_id=link.request_id,
        asked_at=link.asked_at,
        decided_at=now,
    )


def _record(link: PasswordLink, user: User | None, reason: str) -> None:
    """Record it as what was asked where it was asked."""
    registry_id = link.institution.registry_id if link.institution else ""
    audit.record(
        AuditEvent.Action.PASSWORD_RESET_ASKED,
        subject=user.login if user else f"{link.name}@{registry_id}",
        registry_id=registry_id,
        reason=reason,
        address=link.address,
        request_id=link.request_id,
    )
