"""What django-oauth-toolkit's documentation tells operators to use is safe here."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from authserver import checks
from authserver.models import AccessToken, RefreshToken
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def pair():
    """A live refresh token and an access token of the same grant."""
    refresh = factories.RefreshTokenFactory()
    access = factories.AccessTokenFactory(
        user=refresh.user,
        application=refresh.application,
        token_family=refresh.token_family,
    )
    return refresh, access


def live():
    now = timezone.now()
    return (
        RefreshToken.objects.live(now).count(),
        AccessToken.objects.live(now).count(),
    )


def test_cleartokens_keeps_live_refresh_tokens_and_redeemed_codes(pair):
    refresh, _ = pair
    grant = factories.GrantFactory(
        redeemed_at=timezone.now(),
        expires=timezone.now() - timedelta(hours=1),
        token_family=refresh.token_family,
    )

    call_command("cleartokens", verbosity=0)

    assert live() == (1, 1)
    assert type(grant).objects.filter(pk=grant.pk).exists()


def test_the_order_of_apps_that_brings_back_the_toolkits_cleartokens_is_an_error(
    monkeypatch,
):
    commands = {"cleartokens": "oauth2_provider"}
    monkeypatch.setattr(checks, "get_commands", lambda: commands)

    assert [each.id for each in checks.check_settings()] == ["authserver.E009"]


def test_revoking_a_refresh_token_ends_its_access_token(pair):
    refresh, _ = pair

    refresh.revoke()

    assert live() == (0, 0)


def test_revoking_a_family_ends_its_access_tokens_and_nobody_elses(pair):
    refresh, _ = pair
    factories.RefreshTokenFactory()
    factories.AccessTokenFactory()

    RefreshToken.revoke_family(refresh.token_family)

    assert live() == (1, 1)


def test_revoking_no_family_ends_nothing(pair):
    RefreshToken.revoke_family(None)

    assert live() == (1, 1)


def test_a_refresh_token_without_a_family_is_revoked_alone(pair):
    alone = factories.RefreshTokenFactory(token_family=None)

    alone.revoke()

    assert live() == (1, 1)
