"""A whole database, from nothing to measured: tables, accounts, calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management import call_command

from benchmarks.seed import accounts, calendar
from benchmarks.seed.constants import OTHER_TOKENS
from calendar_events.models import Event

if TYPE_CHECKING:
    from datetime import datetime

    from benchmarks.seed.constants import Accounts


def prepare(
    *,
    events: int,
    other_tokens: int = OTHER_TOKENS,
    now: datetime | None = None,
    different: int = 0,
) -> Accounts:
    """Migrate, and create what is not there yet: the accounts, and so many events.

    Of ``different`` ones, if given, the others are copies (``calendar.fill``). Raises
    ``ValueError`` when there are events, but fewer.
    """
    call_command("migrate", verbosity=0, interactive=False)
    created = accounts.create(other_tokens=other_tokens)
    found = Event.objects.count()
    if not found:
        calendar.fill(events=events, author=created.author, now=now, different=different)
    elif found < events:
        raise ValueError(f"{events} events were wanted, {found} are there")
    return created
