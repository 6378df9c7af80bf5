"""The secrets of all service keys, moved to the first encryption key."""

from typing import Final

from django.db import transaction

from authserver.crypto import encryption
from authserver.models import ServiceKey
from platform_errors.keys import SecretUnreadable

BATCH_SIZE: Final = 200
COLUMNS: Final = ("encrypted_secret", "encrypted_previous_secret")


def reencrypt() -> tuple[int, int]:
    """Encrypt every secret with the first key; return how many changed, and of how many.

    A batch is a transaction, so that the command can be stopped and run again. Raises
    ``SecretUnreadable`` with the name of a key whose secret no encryption key opens; the
    batches before it stay written.
    """
    keys = ServiceKey.objects.exclude(encrypted_secret="").order_by("pk")
    last = changed = total = 0
    while batch := list(keys.filter(pk__gt=last)[:BATCH_SIZE]):
        with transaction.atomic():
            changed += sum(_reencrypt_key(key) for key in batch)
        total += len(batch)
        last = batch[-1].pk
    return changed, total


def _reencrypt_key(key: ServiceKey) -> int:
    """Return 1 if the row was written, 0 if it is current or changed meanwhile."""
    stored = {name: getattr(key, name) for name in COLUMNS}
    try:
        changes = {
            name: encryption.rotate_encryption(text)
            for name, text in stored.items()
            if text and not encryption.is_current(text)
        }
    except SecretUnreadable as error:
        raise SecretUnreadable(
            f"No configured key decrypts the secret of {key.client_id}."
        ) from error
    if not changes:
        return 0
    return ServiceKey.objects.filter(pk=key.pk, **stored).update(**changes)
