"""The secrets of all service keys, moved to the first encryption key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import transaction

from authserver.crypto import encryption
from authserver.models import ServiceKey
from platform_errors.keys import SecretUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH_SIZE: Final = 200
COLUMNS: Final = ("encrypted_secret", "encrypted_previous_secret")


def batches() -> Iterator[tuple[int, int]]:
    """Move a batch at a time; yield how many keys it had and how many of them changed.

    A batch is a transaction. Raises ``SecretUnreadable`` with the name of a key whose
    secret no encryption key opens; the batches before stay as they were written.
    """
    keys = ServiceKey.objects.exclude(encrypted_secret="").order_by("pk")
    last = 0
    while batch := list(keys.filter(pk__gt=last)[:BATCH_SIZE]):
        with transaction.atomic():
            changed = sum(_move(key) for key in batch)
        yield len(batch), changed
        last = batch[-1].pk


def _move(key: ServiceKey) -> int:
    """Return 1 if the key was written.

    One that is as it should be is not, nor one that somebody changes meanwhile.
    """
    stored = {name: getattr(key, name) for name in COLUMNS}
    try:
        anew = {
            name: encryption.rotate_encryption(text)
            for name, text in stored.items()
            if text and not encryption.is_current(text)
        }
    except SecretUnreadable as error:
        raise SecretUnreadable(
            f"No configured key decrypts the secret of {key.client_id}."
        ) from error
    if not anew:
        return 0
    return ServiceKey.objects.filter(pk=key.pk, **stored).update(**anew)
