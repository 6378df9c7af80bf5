"""Encrypt the secrets of all service keys anew."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from authserver.crypto import encryption
from authserver.models import ServiceKey


class Command(BaseCommand):
    """Move every secret to the first of ``ENCRYPTION_KEYS``, so that an old one can go."""

    help = "Encrypt the secrets of all service keys with the first encryption key."

    def handle(self, *args: Any, **options: Any) -> None:
        """Rewrite key by key; one that is changed meanwhile is left as it was written."""
        changed = 0
        for key in ServiceKey.objects.exclude(encrypted_secret="").order_by("pk"):
            columns = {
                name: getattr(key, name)
                for name in ("encrypted_secret", "encrypted_previous_secret")
            }
            try:
                anew = {
                    name: encryption.rotate_encryption(text)
                    for name, text in columns.items()
                    if text
                }
            except encryption.SecretUnreadable as error:
                raise CommandError(
                    f"No configured key decrypts the secret of {key.client_id}."
                ) from error
            changed += ServiceKey.objects.filter(pk=key.pk, **columns).update(**anew)
        if options["verbosity"] > 0:
            self.stdout.write(f"{changed} service keys re-encrypted")
