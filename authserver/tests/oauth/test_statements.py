"""What is redeemed, found and used up by fixed statements, is what the models say."""

import pytest
from django.utils import timezone

from authserver.models import Grant, RefreshToken
from authserver.oauth import statements
from authserver.tests import factories

pytestmark = pytest.mark.django_db


def assert_same(found, stored, *names):
    """Values and their types: databases have their own for moments, truth and UUIDs."""
    for name in names:
        assert (type(getattr(found, name)), getattr(found, name)) == (
            type(getattr(stored, name)),
            getattr(stored, name),
        )


OF_BOTH = ("pk", "application_id", "institution_id", "user_id", "token_family", "scope")
OF_THE_USER = (
    *("pk", "login", "is_active", "institution_id"),
    *("principal_id", "principal_namespace"),
)


def test_a_grant_is_found_with_its_owner(django_assert_num_queries):
    made = factories.GrantFactory(redeemed_at=timezone.now())
    stored = Grant.objects.select_related("user", "institution").get()

    found = statements.find_grant(made.code)

    with django_assert_num_queries(0):
        assert_same(found, stored, *OF_BOTH, "expires", "redeemed_at", "redirect_uri")
        assert_same(found, stored, "code_challenge", "code_challenge_method")
        assert_same(found.user, stored.user, *OF_THE_USER)
        assert_same(found.institution, stored.institution, "pk", "registry_id")


@pytest.mark.parametrize("others", [{"revoked": timezone.now()}, {"token_family": None}])
def test_a_refresh_token_is_found_with_its_owner(others, django_assert_num_queries):
    made = factories.RefreshTokenFactory()
    RefreshToken.objects.update(**others)
    stored = RefreshToken.objects.select_related("user", "institution").get()

    found = statements.find_refresh_token(made.token_checksum)

    with django_assert_num_queries(0):
        assert_same(found, stored, *OF_BOTH, "expires_at", "revoked")
        assert_same(found.user, stored.user, *OF_THE_USER)
        assert_same(found.institution, stored.institution, "pk", "registry_id")


def test_what_is_not_stored_is_not_found():
    assert statements.find_grant("0" * 64) is None
    assert statements.find_refresh_token("0" * 64) is None


def test_a_code_is_redeemed_once_and_with_its_challenge_only():
    grant, now = factories.GrantFactory(), timezone.now()
    challenge = grant.code_challenge

    assert not statements.redeem(grant, challenge="another", at=now)
    assert not statements.redeem(grant, challenge="", at=now)
    assert statements.redeem(grant, challenge=challenge, at=now)
    assert not statements.redeem(grant, challenge=challenge, at=timezone.now())
    assert Grant.objects.get().redeemed_at == now


def test_a_refresh_token_is_used_up_once():
    token, now = factories.RefreshTokenFactory(), timezone.now()

    assert statements.use_up(token, at=now)
    assert not statements.use_up(token, at=timezone.now())
    assert RefreshToken.objects.get().revoked == now
