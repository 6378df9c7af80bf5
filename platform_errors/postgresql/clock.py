"""The one clock that all servers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection
from django.utils import timezone

if TYPE_CHECKING:
    from datetime import datetime


def database_now() -> datetime:
    """Return PostgreSQL's time, or with SQLite this machine's, which is the only one."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
