"""Who calls: one editor, a key with a secret, a public key, and many tokens and codes."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from authserver import models
from authserver.crypto import opaque
from benchmarks.seed.constants import (
    BEARER,
    CHALLENGE,
    INSTITUTIONS,
    OTHER_TOKENS,
    PUBLIC_KEY,
    REDIRECT,
    SCOPE,
    SIGNING_KEY,
    SIGNING_SECRET,
    Accounts,
)


def create(*, other_tokens: int = OTHER_TOKENS) -> Accounts:
    """Create the accounts, once per database, and tokens of others beside theirs."""
    if user := models.User.objects.filter(username="bench").first():
        return _accounts(user)
    with transaction.atomic():
        institutions = [
            models.Institution.objects.create(
                registry_id=registry_id, name=f"No. {registry_id}"
            )
            for registry_id in INSTITUTIONS
        ]
        user = models.User.objects.create_user("bench", institution=institutions[0])
        user.groups.set(Group.objects.filter(name="editor"))
        services = [
            models.Service.objects.get_or_create(code=code, defaults={"name": code})[0]
            for code in (SCOPE, "identity")
        ]
        signing = models.ServiceKey(client_id=SIGNING_KEY, name="Signs its requests")
        signing.set_secret(SIGNING_SECRET, now=timezone.now())
        public = models.ServiceKey(
            client_id=PUBLIC_KEY, name="Cannot keep a secret", redirect_uris=REDIRECT
        )
        for key in (signing, public):
            key.save()
            models.KeyInstitution.objects.create(key=key, institution=institutions[0])
            for service in services:
                models.KeyService.objects.create(key=key, service=service)
        texts = [BEARER, *(f"tk_other_{number}" for number in range(other_tokens))]
        models.AccessToken.objects.bulk_create(
            (
                models.AccessToken(
                    token="",
                    token_checksum=opaque.digest(token),
                    user=user,
                    application=public,
                    institution=institutions[0],
                    scope=SCOPE,
                    expires=timezone.now() + timedelta(days=2),
                )
                for token in texts
            ),
            batch_size=2_000,
        )
    return _accounts(user)


def _accounts(user: models.User) -> Accounts:
    return Accounts(
        author=user.pk,
        principal_id=user.principal_id,
        principal_namespace=user.principal_namespace,
    )


def make_codes(count: int) -> list[str]:
    """Issue authorization codes that outlive the run, and return them."""
    user = models.User.objects.get(username="bench")
    key = models.ServiceKey.objects.get(client_id=PUBLIC_KEY)
    institution = models.Institution.objects.get(registry_id=INSTITUTIONS[0])
    codes = [opaque.new_code() for _ in range(count)]
    models.Grant.objects.bulk_create(
        (
            models.Grant(
                code=opaque.digest(code),
                user=user,
                application=key,
                institution=institution,
                redirect_uri=REDIRECT,
                scope=SCOPE,
                code_challenge=CHALLENGE,
                code_challenge_method="S256",
                expires=timezone.now() + timedelta(hours=2),
            )
            for code in codes
        ),
        batch_size=2_000,
    )
    return codes


def token_path() -> str:
    """Return the path of the token endpoint (decisions 1)."""
    return f"/{settings.AUTH_MOUNT}token"
