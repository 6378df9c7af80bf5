"""Consents: where they are remembered, for how long, and how they end (decisions 3.8)."""

from datetime import timedelta

import pytest

from authserver.authorization import consents, pending
from authserver.keys.scopes import Scopes
from authserver.models import AuditEvent, Consent
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ALL = {"calendar_events", "directory", "refresh_token"}


def ids(user, key):
    return {"user_id": user.pk, "key_id": key.pk, "institution_id": user.institution_id}


def test_a_public_key_without_claimed_addresses_remembers_nothing(found, alice, now):
    pending.issue_code(found, user=alice, granted=ALL, now=now)

    assert not Consent.objects.exists()


@pytest.mark.parametrize("kind", ["claimed", "secret"])
def test_a_key_that_nobody_can_pose_as_remembers_the_consent(handle, key, alice, now, kind):
    if kind == "claimed":
        key.claimed_https = True
    else:
        key.set_secret("s", now=now)
    key.save()

    found = pending.load(handle, binding="browser", now=now)
    pending.issue_code(found, user=alice, granted=ALL, now=now)

    granted = consents.granted_before(**ids(alice, key), now=now)
    assert granted == ALL
    assert consents.covers(granted, found.request.scopes)
    assert not consents.covers(granted, Scopes(("calendar_events", "billing")))
    assert not consents.covers(frozenset({"calendar_events"}), Scopes(("refresh_token",)))


def test_a_consent_grows_and_lives_ninety_days_from_the_last(alice, key, now):
    later = now + timedelta(days=80)

    consents.remember(**ids(alice, key), scopes=Scopes(("a",)), now=now)
    consents.remember(**ids(alice, key), scopes=Scopes(("b", "a")), now=later)

    consent = Consent.objects.get()
    assert consent.scope == "a b"
    assert consent.expires_at == later + timedelta(days=90)


def test_an_expired_consent_is_not_revived(alice, key, now):
    later = now + timedelta(days=91)
    consents.remember(**ids(alice, key), scopes=Scopes(("a",)), now=now)

    consents.remember(**ids(alice, key), scopes=Scopes(("b",)), now=later)

    assert consents.granted_before(**ids(alice, key), now=later) == {"b"}


def test_revoking_by_application_kills_everything_under_it(alice, key, now):
    mine = {"user": alice, "application": key}
    consents.remember(**ids(alice, key), scopes=Scopes(("a",)), now=now)
    grant = factories.GrantFactory(**mine)
    access = factories.AccessTokenFactory(**mine)
    refresh = factories.RefreshTokenFactory(**mine)
    others = factories.AccessTokenFactory(application=key)

    consents.revoke(user=alice, key=key, now=now)

    for row in (grant, access, refresh, others):
        row.refresh_from_db()
    assert consents.granted_before(**ids(alice, key), now=now) == frozenset()
    assert (grant.redeemed_at, access.revoked_at, refresh.revoked) == (now, now, now)
    assert others.revoked_at is None
    assert AuditEvent.objects.get().action == "access_revoked"


def test_withdrawing_what_was_never_given_is_not_recorded(alice, key, now):
    consents.revoke(user=alice, key=key, now=now)

    assert not AuditEvent.objects.exists()
