"""Encrypt the secrets of service keys, second factors and of other apps anew."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from authserver.accounts import factors
from authserver.keys.reencryption import MODELS, reencrypt
from platform_errors.keys import SecretUnreadable


class Command(BaseCommand):
    """Move every secret to the first of ``ENCRYPTION_KEYS``, so that an old one can go."""

    help = "Encrypt all stored secrets with the first encryption key."

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the rows in batches; stopped and run again, do what is left."""
        lines = []
        try:
            for model in MODELS:
                changed, total = reencrypt(model)
                if total or model is MODELS[0]:
                    names = model._meta.verbose_name_plural
                    lines.append(f"{changed} of {total} {names} re-encrypted")
            lines.append(f"{factors.reencrypt()} second factors re-encrypted")
        except SecretUnreadable as error:
            raise CommandError(str(error)) from error
        if options["verbosity"] > 0:
            self.stdout.writelines(f"{line}\n" for line in lines)
