"""Who calls: one editor, a key with a secret, a public key, and many tokens and codes."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.utils import timezone

from authserver import models
from authserver.crypto import opaque
from benchmarks.seed import bulk
from benchmarks.seed.constants import (
    BEARER,
    CHALLENGE,
    EDITOR,
    INSTITUTIONS,
    PRINCIPAL_NAMESPACE,
    PUBLIC_KEY,
    REDIRECT,
    SCOPE,
    SIGNING_KEY,
    SIGNING_SECRET,
)


def create(*, other_tokens: int) -> models.User:
    """Create the accounts, and tokens of others beside theirs; return the editor."""
    institutions = [
        models.Institution.objects.create(registry_id=number, name=f"No. {number}")
        for number in INSTITUTIONS
    ]
    user = models.User.objects.create_user(
        EDITOR,
        institution=institutions[0],
        principal_id=EDITOR,
        principal_namespace=PRINCIPAL_NAMESPACE,
    )
    user.groups.set(Group.objects.filter(name="editor"))
    signing = models.ServiceKey(client_id=SIGNING_KEY, name="Signs its requests")
    signing.set_secret(SIGNING_SECRET, now=timezone.now())
    public = models.ServiceKey(
        client_id=PUBLIC_KEY, name="Cannot keep a secret", redirect_uris=REDIRECT
    )
    for key in (signing, public):
        key.save()
        models.KeyInstitution.objects.create(key=key, institution=institutions[0])
        for code in (SCOPE, "identity"):
            service, _ = models.Service.objects.get_or_create(
                code=code, defaults={"name": code}
            )
            models.KeyService.objects.create(key=key, service=service)
    owned = _owned()
    bulk.store(
        models.AccessToken(
            token="",
            token_checksum=opaque.digest(token),
            expires=timezone.now() + timedelta(days=2),
            **owned,
        )
        for token in (BEARER, *(f"tk_other_{number}" for number in range(other_tokens)))
    )
    return user


def _owned() -> dict[str, Any]:
    """Return whose a token or a code is, and what for."""
    user = models.User.objects.select_related("institution").get(username=EDITOR)
    application = models.ServiceKey.objects.get(client_id=PUBLIC_KEY)
    return {
        "user": user,
        "application": application,
        "institution": user.institution,
        "scope": SCOPE,
    }


def make_codes(*, count: int) -> list[str]:
    """Issue authorization codes that outlive the run, and return them."""
    codes = [opaque.new_code() for _ in range(count)]
    owned = _owned()
    bulk.store(
        models.Grant(
            code=opaque.digest(code),
            redirect_uri=REDIRECT,
            code_challenge=CHALLENGE,
            code_challenge_method="S256",
            expires=timezone.now() + timedelta(hours=2),
            **owned,
        )
        for code in codes
    )
    return codes
