"""Try a write again that another transaction was in the way of."""

import logging
import random
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError

from calendar_events.store.saving import VersionConflict
from platform_errors.errors import catalogue

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

logger = logging.getLogger(__name__)

ATTEMPTS = 10
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.005, 0.2
"""The longest pause before the second attempt, doubled for each further one; its bound."""
RETRY_AFTER = {"Retry-After": "2"}
# PostgreSQL's class 40: the transaction was rolled back, and may simply be run again.
ROLLED_BACK = ("40001", "40P01")


def retried(write: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate ``write`` to be called again while a concurrent transaction prevents it.

    A constraint that another transaction's row violates (a slug, an idempotency key, a
    venue that was deleted since it was looked up) is judged anew by looking again, and so
    is a record that is at another version than the one whose preconditions held.

    Raises ``Unavailable`` after ``ATTEMPTS``.
    """

    @wraps(write)
    def until_done(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for attempt in range(ATTEMPTS):
            if attempt:
                longest = min(
                    FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), LONGEST_PAUSE_SECONDS
                )
                time.sleep(random.uniform(0, longest))  # noqa: S311 -- only so that they part
            try:
                return write(*args, **kwargs)
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

    return until_done
