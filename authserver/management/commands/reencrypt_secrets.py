"""Encrypt the secrets of all service keys and second factors anew."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from authserver.accounts import factors
from authserver.keys.reencryption import reencrypt
from platform_errors.keys import SecretUnreadable


class Command(BaseCommand):
    """Move every secret to the first of ``ENCRYPTION_KEYS``, so that an old one can go."""

    help = "Encrypt the secrets of all service keys with the first encryption key."

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the keys in batches; stopped and run again, do what is left."""
        try:
            changed, total = reencrypt()
            of_factors = factors.reencrypt()
        except SecretUnreadable as error:
            raise CommandError(str(error)) from error
        if options["verbosity"] > 0:
            self.stdout.write(f"{changed} of {total} service keys re-encrypted")
            self.stdout.write(f"{of_factors} second factors re-encrypted")
