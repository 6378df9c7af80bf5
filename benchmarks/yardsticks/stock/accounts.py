"""The stock project's counterpart of ``benchmarks.seed.accounts``."""

import secrets
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant

from benchmarks.seed import constants


def prepare() -> None:
    """Migrate and create one user, one public client and the tokens."""
    call_command("migrate", verbosity=0, interactive=False)
    user = get_user_model().objects.create_user("bench")
    application = Application.objects.create(
        name="Cannot keep a secret",
        client_id=constants.PUBLIC_KEY,
        user=user,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=constants.REDIRECT,
    )
    others = (f"tk_other_{number}" for number in range(constants.OTHER_TOKENS))
    AccessToken.objects.bulk_create(
        (
            AccessToken(
                user=user,
                application=application,
                token=text,
                expires=timezone.now() + timedelta(days=2),
                scope=constants.SCOPE,
            )
            for text in (constants.BEARER, *others)
        ),
        batch_size=2_000,
    )


def make_codes(*, count: int) -> list[str]:
    """Store authorization codes that outlive the run, and return them."""
    application = Application.objects.get()
    codes = [secrets.token_urlsafe(32) for _ in range(count)]
    Grant.objects.bulk_create(
        Grant(
            user=application.user,
            application=application,
            code=code,
            redirect_uri=constants.REDIRECT,
            scope=constants.SCOPE,
            code_challenge=constants.CHALLENGE,
            code_challenge_method="S256",
            expires=timezone.now() + timedelta(hours=2),
        )
        for code in codes
    )
    return codes
