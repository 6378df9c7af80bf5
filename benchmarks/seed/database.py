"""A whole database, from nothing to measured: tables, accounts, calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management import call_command

from benchmarks.seed import accounts, calendar

if TYPE_CHECKING:
    from benchmarks.seed.credentials import Accounts


def prepare(*, events: int) -> Accounts:
    """Migrate, create the accounts and fill the calendar."""
    call_command("migrate", verbosity=0, interactive=False)
    created = accounts.create()
    calendar.fill(events=events, author=created.author)
    return created
