"""Stored secrets, moved to the first encryption key: service keys', and those of others.

Another app that encrypts with ``crypto.encryption`` appends its model to ``MODELS``; it has
one of ``COLUMNS`` at least, and rows that say in ``str`` what they are.
"""

from typing import Any, Final

from django.db import models, transaction

from authserver.crypto import encryption
from authserver.models import ServiceKey, SignInMethod
from platform_errors.keys import SecretUnreadable

BATCH_SIZE: Final = 200
COLUMNS: Final = ("encrypted_secret", "encrypted_previous_secret")
MODELS: Final[list[type[models.Model]]] = [ServiceKey, SignInMethod]


def reencrypt(model: type[models.Model]) -> tuple[int, int]:
    """Encrypt a model's secrets with the first key; return how many, and of how many rows.

    A batch is a transaction, so that the command can be stopped and run again. Raises
    ``SecretUnreadable`` with the name of a row whose secret no encryption key opens; the
    batches before it stay written.
    """
    rows = model._base_manager.exclude(encrypted_secret="").order_by("pk")
    last = changed = total = 0
    while batch := list(rows.filter(pk__gt=last)[:BATCH_SIZE]):
        with transaction.atomic():
            changed += sum(_reencrypt_row(row) for row in batch)
        total += len(batch)
        last = batch[-1].pk
    return changed, total


def _reencrypt_row(row: Any) -> int:
    """Return 1 if the row was written, 0 if it is current or changed meanwhile."""
    stored = {name: getattr(row, name) for name in COLUMNS if hasattr(row, name)}
    try:
        changes = {
            name: encryption.rotate_encryption(text)
            for name, text in stored.items()
            if text and not encryption.is_current(text)
        }
    except SecretUnreadable as error:
        name = getattr(row, "client_id", row)
        raise SecretUnreadable(f"No configured key decrypts a secret of {name}.") from error
    if not changes:
        return 0
    rows = type(row)._base_manager.filter(pk=row.pk, **stored)
    return rows.update(**changes)
