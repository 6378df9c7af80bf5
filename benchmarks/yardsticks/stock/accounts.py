"""The stock project's counterpart of ``benchmarks.seed.accounts``."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant


def prepare(*, token: str, other_tokens: int, client_id: str, redirect: str) -> None:
    """Migrate and create one user, one public client and the tokens."""
    call_command("migrate", verbosity=0, interactive=False)
    user = get_user_model().objects.create_user("bench")
    application = Application.objects.create(
        name="Cannot keep a secret",
        client_id=client_id,
        user=user,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=redirect,
    )
    for text in (token, *(f"tk_other_{number}" for number in range(other_tokens))):
        # One by one: the toolkit computes the checksum when a row is saved.
        AccessToken.objects.create(
            user=user,
            application=application,
            token=text,
            expires=timezone.now() + timedelta(days=2),
            scope="calendar_events",
        )


def make_codes(*, codes: list[str], client_id: str, redirect: str, challenge: str) -> None:
    """Store authorization codes that outlive the run."""
    application = Application.objects.get(client_id=client_id)
    Grant.objects.bulk_create(
        Grant(
            user=application.user,
            application=application,
            code=code,
            redirect_uri=redirect,
            scope="calendar_events",
            code_challenge=challenge,
            code_challenge_method="S256",
            expires=timezone.now() + timedelta(hours=2),
        )
        for code in codes
    )
