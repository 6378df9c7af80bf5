"""Consents: where they are remembered, for how long, and how they end (decisions 3.8)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from authserver import authorization, consents, pending
from authserver.models import AuditEvent, Consent
from authserver.scopes import Scopes
from authserver.tests import factories

pytestmark = pytest.mark.django_db

QUERY = (
    b"client_id=spa&redirect_uri=https%3A%2F%2Fclient.example%2Fcb&response_type=code"
    b"&scope=calendar_events%20directory%20refresh_token%20context%3A1001&state=a%20b"
    b"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
)


@pytest.fixture
def user():
    return factories.UserFactory(username="alice", institution__registry_id="1001")


@pytest.fixture
def key(user):
    key = factories.ServiceKeyFactory(client_id="spa", institutions=[user.institution])
    for code in ("calendar_events", "directory"):
        factories.KeyServiceFactory(key=key, service__code=code, service__name=code)
    return key


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def handle(key, now):
    request = authorization.validate(QUERY, registry_id=None, now=now)
    return pending.store(request, binding="browser", now=now)


@pytest.fixture
def found(handle, now):
    return pending.load(handle, binding="browser", now=now)


ALL = {"calendar_events", "directory", "refresh_token"}


def ids(user, key):
    return {"user_id": user.pk, "key_id": key.pk, "institution_id": user.institution_id}


def test_a_public_key_without_claimed_addresses_remembers_nothing(found, user, now):
    pending.issue_code(found, user=user, granted=ALL, now=now)

    assert not Consent.objects.exists()


@pytest.mark.parametrize("kind", ["claimed", "secret"])
def test_a_key_that_nobody_can_pose_as_remembers_the_consent(handle, key, user, now, kind):
    if kind == "claimed":
        key.claimed_https = True
    else:
        key.set_secret("s", now=now)
    key.save()

    found = pending.load(handle, binding="browser", now=now)
    pending.issue_code(found, user=user, granted=ALL, now=now)

    granted = consents.granted_before(**ids(user, key), now=now)
    assert granted == ALL
    assert consents.covers(granted, found.request.scopes)
    assert not consents.covers(granted, Scopes(("calendar_events", "billing")))
    assert not consents.covers(frozenset({"calendar_events"}), Scopes(("refresh_token",)))


def test_a_consent_grows_and_lives_ninety_days_from_the_last(user, key, now):
    later = now + timedelta(days=80)

    consents.remember(**ids(user, key), scopes=Scopes(("a",)), now=now)
    consents.remember(**ids(user, key), scopes=Scopes(("b", "a")), now=later)

    consent = Consent.objects.get()
    assert consent.scope == "a b"
    assert consent.expires_at == later + timedelta(days=90)


def test_an_expired_consent_is_not_revived(user, key, now):
    later = now + timedelta(days=91)
    consents.remember(**ids(user, key), scopes=Scopes(("a",)), now=now)

    consents.remember(**ids(user, key), scopes=Scopes(("b",)), now=later)

    assert consents.granted_before(**ids(user, key), now=later) == {"b"}


def test_revoking_by_application_kills_everything_under_it(user, key, now):
    mine = {"user": user, "application": key}
    consents.remember(**ids(user, key), scopes=Scopes(("a",)), now=now)
    grant = factories.GrantFactory(**mine)
    access = factories.AccessTokenFactory(**mine)
    refresh = factories.RefreshTokenFactory(**mine)
    others = factories.AccessTokenFactory(application=key)

    consents.revoke(user=user, key=key, now=now)

    for row in (grant, access, refresh, others):
        row.refresh_from_db()
    assert consents.granted_before(**ids(user, key), now=now) == frozenset()
    assert (grant.redeemed_at, access.revoked_at, refresh.revoked) == (now, now, now)
    assert others.revoked_at is None
    assert AuditEvent.objects.get().action == "access_revoked"


def test_withdrawing_what_was_never_given_is_not_recorded(user, key, now):
    consents.revoke(user=user, key=key, now=now)

    assert not AuditEvent.objects.exists()
