"""Encrypt the secrets of all service keys anew."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from authserver.keys import reencryption
from authserver.models import ServiceKey
from platform_errors.keys import SecretUnreadable
from platform_errors.management import progress


class Command(BaseCommand):
    """Move every secret to the first of ``ENCRYPTION_KEYS``, so that an old one can go."""

    help = "Encrypt the secrets of all service keys with the first encryption key."

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the keys in batches; run again, it does what is left."""
        total = ServiceKey.objects.exclude(encrypted_secret="").count()
        changed = 0
        with progress.shown(
            "reencrypt_secrets",
            unit="service keys",
            total=total,
            verbosity=options["verbosity"],
        ) as work:
            try:
                for seen, written in reencryption.batches():
                    changed += written
                    work.advance(seen)
            except SecretUnreadable as error:
                raise CommandError(str(error)) from error
        if options["verbosity"] > 0:
            self.stdout.write(f"{changed} of {work.done} service keys re-encrypted")
