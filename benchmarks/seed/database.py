"""A whole database, from nothing to measured: tables, accounts, calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management import call_command

from benchmarks.seed import accounts, calendar
from calendar_events.models import Event

if TYPE_CHECKING:
    from benchmarks.seed.credentials import Accounts


def prepare(*, events: int, is_filled: bool = False) -> Accounts:
    """Migrate, create the accounts and fill the calendar, or leave it as it is.

    Raises ``ValueError`` when a filled calendar has fewer events than it should.
    """
    call_command("migrate", verbosity=0, interactive=False)
    created = accounts.create()
    if not is_filled:
        calendar.fill(events=events, author=created.author)
    elif (found := Event.objects.count()) < events:
        raise ValueError(f"{events} events were wanted, {found} are there")
    return created
