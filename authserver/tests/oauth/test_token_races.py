"""Many requests at once: one winner, no 500, on SQLite and on PostgreSQL."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction
from django.utils import timezone

from authserver.authorization import consents, pending
from authserver.authorization.requests import AuthorizationRequest
from authserver.keys.scopes import Scopes
from authserver.keys.store import find_client
from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken
from authserver.models.token import revoke_family
from authserver.tests import factories
from authserver.tests.oauth_client import REDIRECT, TokenClient, new_code, new_verifier

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

THREADS = 16


def at_once(work, times):
    """Run ``work`` many times from several threads that start together."""
    barrier = threading.Barrier(THREADS)

    def share(number):
        barrier.wait()
        try:
            return [work() for _ in range(number, times, THREADS)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        return [result for results in pool.map(share, range(THREADS)) for result in results]


def redeem(code, verifier):
    response = TokenClient().query(
        grant_type="authorization_code",
        code=code,
        client_id="spa",
        redirect_uri=REDIRECT,
        code_verifier=verifier,
    )
    return response.status_code


def test_two_hundred_redemptions_of_one_code_give_one_token(alice, key):
    verifier = new_verifier()
    code = new_code(
        user=alice, key=key, scope="calendar_events refresh_token", verifier=verifier
    )

    statuses = Counter(at_once(lambda: redeem(code, verifier), 200))

    assert statuses == {200: 1, 400: 199}
    assert AccessToken.objects.count() == 1
    assert RefreshToken.objects.count() == 1


def test_one_refresh_token_refreshes_once(alice, key):
    refresh = factories.RefreshTokenFactory(user=alice, application=key, token_text="rt_1")

    def use():
        return (
            TokenClient()
            .query(grant_type="refresh_token", client_id="spa", refresh_token="rt_1")
            .status_code
        )

    statuses = Counter(at_once(use, 48))

    assert statuses == {200: 1, 400: 47}
    assert AccessToken.objects.count() == 1
    assert refresh.__class__.objects.count() == 2


def test_many_submits_of_one_grant_page_issue_one_code(alice, key):
    now = timezone.now()
    request = AuthorizationRequest(
        key=find_client("spa"),
        redirect_uri=REDIRECT,
        scopes=Scopes(("calendar_events",)),
        state="",
        code_challenge="c" * 43,
        institution="1001",
    )
    _, found = pending.store(request, binding="b", now=now)

    def submit():
        try:
            pending.issue_code(found, user=alice, granted={"calendar_events"}, now=now)
        except pending.RequestAlreadyUsed:
            return "spent"
        return "issued"

    outcomes = Counter(at_once(submit, 48))

    assert outcomes == {"issued": 1, "spent": 47}
    assert Grant.objects.count() == 1


def test_parallel_guesses_at_the_verifier_count_too(alice, key):
    verifier = new_verifier()
    code = new_code(user=alice, key=key, verifier=verifier)

    at_once(lambda: redeem(code, "x" * 43), THREADS)

    assert redeem(code, verifier) == 400
    assert Grant.objects.get().redeemed_at is not None
    assert AuditEvent.objects.filter(action="code_burned").count() == 1
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("by", ["family", "user"])
def test_a_revocation_during_a_refresh_ends_what_the_refresh_brings(alice, key, by):
    old = factories.RefreshTokenFactory(user=alice, application=key, token_text="rt_old")
    is_spent = threading.Event()

    def refresh():
        try:
            with transaction.atomic():
                RefreshToken.objects.filter(pk=old.pk).update(revoked=timezone.now())
                factories.RefreshTokenFactory(
                    user=alice,
                    application=key,
                    token_family=old.token_family,
                    token_text="rt_new",
                )
                is_spent.set()
                time.sleep(0.3)  # long enough for the revocation to wait for this row
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(refresh)
        assert is_spent.wait(timeout=60)
        if by == "family":
            revoke_family(old.token_family, timezone.now())
        else:
            consents.revoke(user=alice, key=key, now=timezone.now())
        under_way.result()

    assert RefreshToken.objects.count() == 2
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()
