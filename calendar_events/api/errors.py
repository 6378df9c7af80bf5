"""The exception handler of the events interface: what services raise, in its words."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.settings import api_settings

from calendar_events.api.access import RecordNotFound
from calendar_events.api.idempotency import KeyReused, KeyUnreadable
from calendar_events.conf import conf
from calendar_events.models.querysets.base import Unknown
from calendar_events.permissions import NotAllowed
from calendar_events.serializers.base import refusal
from calendar_events.services.changesets import InTrash, InvalidFields, TermExists
from calendar_events.services.fetching import TooManyFetches
from calendar_events.services.images import NotAPicture, NotStored
from calendar_events.webhooks.deliveries import SubscriptionDisabled
from calendar_events.webhooks.subscriptions import TooManySubscriptions
from platform_errors.errors import base, catalogue, writes

RETRY_LATER = {"Retry-After": "60"}
"""After what somebody has to mend."""


class RecordInTrash(base.ApiError):
    """The record is in the trash already, or has to be restored first."""

    default_code = "record_in_trash"
    status_code = 410

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"the {kind} is in the trash: restore it by sending a status, or delete it for"
            " good with force=true",
            text=f"The requested {kind} is in the trash",
        )
        self.events_code = f"{kind}-is-in-trash"


class TermNameTaken(writes.BadBody):
    """A term of this name stands under the same parent already."""

    default_code = events_code = "term_exists"

    def __init__(self, term_id: int) -> None:
        """Name the term, which callers want to use instead."""
        super().__init__(f"name: belongs to term {term_id}.", data={"term_id": term_id})
        self.additional_data = [term_id, term_id]  # twice, as callers of the peer know it
        self.summary = "A term with the name provided already exists with this parent."


def handle(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    error = api_error_of(exc, kind=getattr(context.get("view"), "kind", ""))
    platform: Any = api_settings.EXCEPTION_HANDLER
    response: HttpResponse = platform(error, context)
    return response


def api_error_of(exc: Exception, *, kind: str) -> Exception:
    """Return the refusal that an exception means, or the exception as it is.

    ``kind`` is the singular of the type that the view serves, if it serves one.
    """
    if isinstance(exc, ObjectDoesNotExist) and kind:
        return RecordNotFound(kind)
    if isinstance(exc, InTrash):
        return RecordInTrash(kind)
    for cls, translate in _TRANSLATIONS.items():
        if isinstance(exc, cls):
            return translate(exc)
    if isinstance(exc, ValidationError) and isinstance(exc.detail, dict):
        return refusal(exc.detail)
    return exc


_TRANSLATIONS: dict[type[Exception], Callable[[Any], base.ApiError]] = {
    Unknown: lambda error: catalogue.NoSuchResource(str(error)),
    NotAllowed: lambda error: catalogue.MissingPermission(str(error)),
    InvalidFields: lambda error: writes.InvalidParameters(error.reasons, in_body=True),
    NotAPicture: lambda error: writes.InvalidParameters(
        {"image": str(error)}, in_body=True
    ),
    NotStored: lambda error: catalogue.Unavailable(str(error), headers=RETRY_LATER),
    TooManyFetches: lambda error: catalogue.Unavailable(
        str(error), headers={"Retry-After": str(math.ceil(conf.image_fetch_seconds))}
    ),
    TermExists: lambda error: TermNameTaken(error.term_id),
    KeyUnreadable: lambda error: writes.InvalidParameters({"Idempotency-Key": str(error)}),
    TooManySubscriptions: lambda _: writes.Conflict(
        f"the key has {conf.webhooks_per_key} webhooks in this institution, and may not "
        "have more"
    ),
    SubscriptionDisabled: lambda _: writes.Conflict(
        "the webhook is disabled: make it active first"
    ),
    KeyReused: lambda error: writes.IdempotencyMismatch(str(error)),
}
