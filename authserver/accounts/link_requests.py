"""Asking for a link: by whoever forgot a password, or for whom an administrator invites."""

import math
from datetime import datetime

from django.db import transaction

from authserver import audit
from authserver.accounts import link_delivery
from authserver.conf import conf
from authserver.models import AuditEvent, Institution, PasswordLink, User
from platform_errors.errors.catalogue import TooManyRequests
from platform_errors.http.client_address import address_ident, current_client_address
from platform_errors.http.request_id import stored_request_id


@transaction.atomic
def request_password_reset(institution: Institution, name: str, *, now: datetime) -> None:
    """Keep what was typed, and let a task find the account.

    The same work whatever was typed. Raises ``TooManyRequests`` for an address that asked
    too often.
    """
    address = current_client_address()
    place = address_ident(address) or ""
    _require_within_limit(place, now)
    link = PasswordLink.objects.create(
        purpose=PasswordLink.Purpose.RESET,
        institution=institution,
        name=name,
        address=address,
        place=place,
        request_id=stored_request_id(),
        asked_at=now,
    )
    link_delivery.find_account.enqueue(link.pk)


@transaction.atomic
def invite(user: User, *, actor: str, now: datetime) -> str:
    """Send the account a link to choose a password; return a word when it cannot be.

    Whatever password it has must be changed. The words are those of
    ``link_delivery.refusal``.
    """
    if reason := link_delivery.refusal(user, now):
        return reason
    link = PasswordLink.objects.create(
        purpose=PasswordLink.Purpose.INVITATION,
        institution=user.institution,
        user=user,
        address=current_client_address(),
        request_id=stored_request_id(),
        asked_at=now,
        decided_at=now,
    )
    type(user).objects.filter(pk=user.pk).update(must_change_password=True)
    user.must_change_password = True
    audit.record_account(AuditEvent.Action.INVITED, user, actor=actor)
    link_delivery.send_link.enqueue(link.pk)
    return ""


def _require_within_limit(place: str, now: datetime) -> None:
    since = now - conf.password_mail_window
    asked = PasswordLink.objects.filter(place=place, asked_at__gt=since, user=None)
    moments = asked.order_by("-asked_at").values_list("asked_at", flat=True)
    counted = list(moments[: conf.password_mails_per_address])
    if len(counted) >= conf.password_mails_per_address:
        wait = (counted[-1] + conf.password_mail_window - now).total_seconds()
        raise TooManyRequests(headers={"Retry-After": str(max(1, math.ceil(wait)))})
