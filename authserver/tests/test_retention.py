"""What ``clear_expired`` removes, and what it must keep (contract pitfalls 3)."""

import uuid
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from authserver import models, retention
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def past(now):
    return now - timedelta(days=1)


def clear(**options):
    out = StringIO()
    call_command("clear_expired", stdout=out, **options)
    return out.getvalue()


def test_what_has_expired_goes(past):
    factories.PendingRequestFactory(expires_at=past)
    factories.GrantFactory(expires=past)
    factories.AccessTokenFactory(expires=past)
    factories.RefreshTokenFactory(expires_at=past)
    factories.ConsentFactory(granted_at=past - timedelta(days=1), expires_at=past)
    factories.ConsentFactory(revoked_at=past)
    factories.SessionFactory(expire_date=past)
    factories.RefusalCountFactory(since=past)
    factories.KeyRefusalFactory(at=past - timedelta(days=30))

    said = clear()

    for model in (
        models.PendingRequest,
        models.Grant,
        models.AccessToken,
        models.RefreshToken,
        models.Consent,
        models.Session,
        models.RefusalCount,
        models.KeyRefusal,
    ):
        assert not model.objects.exists(), model
    assert "2 consents" in said


def test_what_is_live_stays():
    rows = [
        factories.PendingRequestFactory(),
        factories.GrantFactory(),
        factories.AccessTokenFactory(),
        factories.RefreshTokenFactory(),
        factories.ConsentFactory(),
        factories.AuditEventFactory(),
    ]

    clear(verbosity=0)

    for row in rows:
        row.refresh_from_db()


@pytest.mark.parametrize("kind", ["access", "refresh"])
def test_a_redeemed_code_stays_while_its_tokens_could_live(past, kind):
    family = uuid.uuid4()
    grant = factories.GrantFactory(expires=past, redeemed_at=past, token_family=family)
    if kind == "access":
        factories.AccessTokenFactory(token_family=family)
    else:
        factories.RefreshTokenFactory(token_family=family)

    clear()

    grant.refresh_from_db()


def test_a_spent_refresh_token_stays_until_its_family_ends(now):
    spent = factories.RefreshTokenFactory(revoked=now)

    clear()

    spent.refresh_from_db()


ELSEWHERE = pytest.mark.postgresql_only  # SQLite's clock is the server's own


@ELSEWHERE
def test_a_server_whose_clock_is_fast_forgets_nothing_that_lives(now, time_machine):
    rows = [
        factories.AccessTokenFactory(expires=now + timedelta(minutes=20)),
        factories.GrantFactory(expires=now + timedelta(seconds=30)),
        factories.SessionFactory(expire_date=now + timedelta(minutes=30)),
    ]
    time_machine.move_to(now + timedelta(hours=1))

    clear()

    for row in rows:
        row.refresh_from_db()


@ELSEWHERE
def test_a_request_to_a_fast_server_ends_nobody_else_s_session(now):
    rows = [
        factories.SessionFactory(expire_date=now + timedelta(minutes=30)),
        factories.PendingRequestFactory(expires_at=now + timedelta(minutes=5)),
    ]
    over = factories.SessionFactory(expire_date=now - timedelta(seconds=1))

    retention.clear_few(now + timedelta(hours=1))

    for row in rows:
        row.refresh_from_db()
    assert not models.Session.objects.filter(pk=over.pk).exists()


def test_it_works_in_batches(past):
    factories.AccessTokenFactory.create_batch(5, expires=past)

    counts = retention.clear(timezone.now(), batch_size=2)

    assert counts["access tokens"] == 5


def test_old_audit_events_go_after_the_configured_time(now, settings):
    factories.AuditEventFactory(at=now - timedelta(days=401))
    young = factories.AuditEventFactory(at=now - timedelta(days=399))

    said = clear()

    assert list(models.AuditEvent.objects.all()) == [young]
    assert "1 audit events" in said


def test_zero_days_keep_audit_events_for_ever(now, settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "AUDIT_DAYS": 0}
    factories.AuditEventFactory(at=now - timedelta(days=4000))

    clear()

    assert models.AuditEvent.objects.count() == 1
