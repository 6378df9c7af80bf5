"""Wait until what was written is settled in the log of changes."""

import time

from calendar_events.models import Change

TRIES = 4_800


def settle():
    """Wait for older transactions, of other tests in other databases as well.

    PostgreSQL numbers the transactions of all databases of a cluster together.
    """
    for _ in range(TRIES):
        if Change.objects.settled().count() == Change.objects.count():
            return
        time.sleep(0.05)
    raise AssertionError("A transaction in another database does not end.")
