"""Run a write until it happened or was refused, in the words of the platform."""

from __future__ import annotations

import logging
import math
import random
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, OperationalError

from calendar_events.api.access import RecordNotFound
from calendar_events.api.idempotency import KeyReused, KeyUnreadable
from calendar_events.conf import conf
from calendar_events.permissions import NotAllowed
from calendar_events.services.fetching import TooManyFetches
from calendar_events.services.images import NotAPicture, NotStored
from calendar_events.services.refusals import InTrash, InvalidFields, TermExists
from calendar_events.store.saving import VersionConflict
from platform_errors.errors import base, catalogue, writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Result = TypeVar("Result")

logger = logging.getLogger(__name__)

ATTEMPTS = 10
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.005, 0.2
"""The longest pause before the second attempt, doubled for each further one; its bound."""
RETRY_AFTER = {"Retry-After": "2"}
RETRY_LATER = {"Retry-After": "60"}
"""After what somebody has to mend."""
# PostgreSQL's class 40: the transaction was rolled back, and may simply be run again.
ROLLED_BACK = ("40001", "40P01")


class RecordInTrash(base.ApiError):
    """The record is in the trash already, or has to be restored first."""

    reason = "record_in_trash"
    status_code = 410
    message = "The requested {kind} is in the trash"

    def __init__(self, kind: str) -> None:
        """``kind``: ``event``, ``venue`` or ``organizer``."""
        super().__init__(
            f"the {kind} is in the trash: restore it by sending a status, or delete it for"
            " good with force=true",
            kind=kind,
        )
        self.events_code = f"{kind}-is-in-trash"


class TermNameTaken(writes.BadBody):
    """A term of this name stands under the same parent already."""

    reason = events_code = "term_exists"

    def __init__(self, term_id: int) -> None:
        """Name the term, which callers want to use instead."""
        super().__init__(f"name: belongs to term {term_id}.", data={"term_id": term_id})
        self.additional_data = [term_id, term_id]  # twice, as callers of the peer know it
        self.summary = "A term with the name provided already exists with this parent."


def until_done(write: Callable[[], Result]) -> Result:
    """Retry ``write`` while a concurrent transaction prevents it.

    A constraint that another transaction's row violates (a slug, an idempotency key, a
    venue that was deleted since it was looked up) is judged anew by looking again, and so
    is a record that is at another version than the one whose preconditions held.

    Raises ``Unavailable`` after ``ATTEMPTS``.
    """
    for attempt in range(ATTEMPTS):
        if attempt:
            longest = min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), LONGEST_PAUSE_SECONDS)
            time.sleep(random.uniform(0, longest))  # noqa: S311 -- only so that they part
        try:
            return write()
        except (IntegrityError, VersionConflict) as error:
            reason = type(error).__name__
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", "") not in ROLLED_BACK:
                raise
            reason = type(error).__name__
        logger.info("Write attempt %d of %d failed: %s", attempt + 1, ATTEMPTS, reason)
    raise catalogue.Unavailable(
        "too many others write the same records", headers=RETRY_AFTER
    )


@contextmanager
def refusals(kind: str) -> Iterator[None]:
    """Turn what services and permissions raise into what the platform answers."""
    try:
        yield
    except tuple(_ANSWERS) as error:
        raise _ANSWERS[type(error)](error) from error
    except InTrash as error:
        raise RecordInTrash(kind) from error
    except ObjectDoesNotExist as error:
        raise RecordNotFound(kind) from error


_ANSWERS: dict[type[Exception], Callable[[Any], base.ApiError]] = {
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
    KeyReused: lambda error: writes.IdempotencyMismatch(str(error)),
}
