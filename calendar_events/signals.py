"""The app's own signals.

``record_written``: a record was written, and the transaction is committed. For caches and
indexers. Django's ``post_save`` comes before the commit, and
before an event's links are written; what a receiver then tells others may be rolled back.
"""

import weakref
from typing import Any

from django.db import connections, transaction
from django.db.models import Model
from django.dispatch import Signal

record_written = Signal()
"""Sent once for each record that a transaction wrote, after its commit.

``sender``: the model. ``kind`` (str): ``event``, ``venue``, ``organizer`` or ``term``.
``identifier`` (int). ``version`` (int): that of the last write. ``created`` and ``deleted``
(bool): whether this transaction inserted the row, and whether it deleted it for good. A
receiver that raises is logged and keeps no other from running.
"""

webhook_disabled = Signal()
"""Sent within the transaction that disables a subscription because of its receiver or key.

``sender``: the model. ``subscription`` (int): its primary key. ``reason`` (str): ``gone``,
``failing`` or ``key``. A receiver that raises undoes the transaction, which is tried again.
"""


class _Announcement:
    """The signal of one record, sent when the transaction is committed."""

    def __init__(self, record: Any, *, created: bool, deleted: bool) -> None:
        self.sender: type[Model] = type(record)
        self.identifier, self.version = record.pk, record.version
        self.created, self.deleted = created, deleted
        # The connection alone holds an announcement. One whose savepoint is rolled back is
        # dropped there, and the one before it is due again.
        self.later: weakref.ref[_Announcement] | None = None

    def __call__(self) -> None:
        """Send, unless a later write of the same transaction sends instead."""
        if self.later and self.later():
            return
        record_written.send_robust(
            self.sender,
            kind=self.sender._meta.model_name,
            identifier=self.identifier,
            version=self.version,
            created=self.created,
            deleted=self.deleted,
        )


def announce(
    *records: Model, using: str, created: bool = False, deleted: bool = False
) -> None:
    """Send ``record_written`` of each when the transaction that is open is committed."""
    waiting = {
        (entry[1].sender, entry[1].identifier): entry[1]
        for entry in connections[using].run_on_commit
        if isinstance(entry[1], _Announcement)
    }
    for record in records:
        announcement = _Announcement(record, created=created, deleted=deleted)
        earlier = waiting.get((announcement.sender, record.pk))
        if earlier is not None:
            announcement.created = created or earlier.created
            earlier.later = weakref.ref(announcement)
        transaction.on_commit(announcement, using=using)
