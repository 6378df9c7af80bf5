"""Switched off and on again: nothing that was granted before works again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from authserver.authorization import consents
from authserver.keys.scopes import Scopes
from authserver.models import ServiceKey, Session
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def granted(alice, key):
    """All that can be granted: a code, a token of each kind, a request under way."""
    whose = {"user": alice, "application": key}
    return [
        factories.GrantFactory(**whose),
        factories.RefreshTokenFactory(**whose),
        factories.AccessTokenFactory(**whose),
        factories.PendingRequestFactory(key=key, institution=alice.institution),
    ]


@pytest.fixture
def of_others():
    """The same in the name of somebody else, for another key, at another institution."""
    stranger = factories.UserFactory()
    return [
        factories.GrantFactory(user=stranger),
        factories.RefreshTokenFactory(user=stranger),
        factories.AccessTokenFactory(user=stranger),
        factories.PendingRequestFactory(),
    ]


@pytest.fixture
def at_home(visitor, alice, log_in):
    """Alice, signed in, on her access page."""
    visitor.open("/oauth2/login?institution=1001")
    return log_in()


def is_signed_in(visitor):
    return visitor.open("/oauth2/access").heading == "My account"


def is_over(row):
    row.refresh_from_db()
    columns = ("redeemed_at", "revoked", "revoked_at", "consumed_at")
    ended_at = next(getattr(row, name) for name in columns if hasattr(row, name))
    return ended_at is not None and abs(ended_at - timezone.now()) < timedelta(minutes=1)


def by_save(row, **values):
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


def by_one_column(row, **values):
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))


def by_update(row, **values):
    type(row).objects.filter(pk=row.pk).update(**values)


def by_bulk_update(row, **values):
    for name, value in values.items():
        setattr(row, name, value)
    type(row).objects.bulk_update([row], list(values))


WAYS = [by_save, by_one_column, by_update, by_bulk_update]


@pytest.mark.parametrize("switch", WAYS)
def test_a_user_who_is_enabled_again_has_nothing_of_before(
    alice, granted, of_others, switch
):
    *codes_and_tokens, request = granted

    switch(alice, is_active=False)
    switch(alice, is_active=True)

    assert [is_over(row) for row in codes_and_tokens] == [True, True, True]
    # A request under way belongs to a browser and to nobody yet; its session has ended.
    assert not is_over(request)
    assert not any(is_over(row) for row in of_others)


@pytest.mark.parametrize("switch", WAYS)
def test_a_key_that_is_activated_again_has_nothing_of_before(
    key, granted, of_others, switch
):
    own = factories.AccessTokenFactory(
        application=key, user=None, institution=factories.InstitutionFactory()
    )

    switch(key, status=ServiceKey.Status.CANCELED)
    switch(key, status=ServiceKey.Status.ACTIVE)

    assert all(is_over(row) for row in [*granted, own])
    assert not any(is_over(row) for row in of_others)


@pytest.mark.parametrize("switch", WAYS)
def test_an_institution_that_is_switched_on_again_has_nothing_of_before(
    riverside, granted, of_others, switch
):
    switch(riverside, is_active=False)
    switch(riverside, is_active=True)

    assert all(is_over(row) for row in granted)
    assert not any(is_over(row) for row in of_others)


def test_what_was_issued_while_the_account_was_switched_off_ends_as_well(alice, key):
    by_update(alice, is_active=False)
    late = factories.RefreshTokenFactory(user=alice, application=key)

    by_update(alice, is_active=True)

    assert is_over(late)


def to_another(user):
    by_save(user, institution=factories.InstitutionFactory())


def to_another_and_disabled(user):
    by_save(user, institution=factories.InstitutionFactory(), is_active=False)


def to_none(user):
    by_save(user, institution=None)


@pytest.mark.parametrize("leave", [to_another, to_another_and_disabled, to_none])
def test_an_account_that_moves_and_comes_back_has_nothing_of_before(
    alice, granted, riverside, leave
):
    leave(alice)
    by_save(alice, institution=riverside)
    by_save(alice, is_active=True)

    assert [is_over(row) for row in granted] == [True, True, True, False]


def test_while_it_is_off_the_reason_can_still_be_said(alice, key, granted):
    """A revoked token is merely invalid; the contract has words for each of these."""
    by_save(alice, is_active=False)
    by_save(key, status=ServiceKey.Status.CANCELED)
    by_save(alice.institution, is_active=False)

    assert not any(is_over(row) for row in granted)


@pytest.mark.parametrize("switch", WAYS)
def test_a_user_who_is_enabled_again_has_to_sign_in_again(at_home, alice, switch):
    switch(alice, is_active=False)
    switch(alice, is_active=True)

    assert not is_signed_in(at_home)
    assert not Session.objects.filter(user_id=alice.pk).exists()


def test_the_users_of_an_institution_that_is_switched_on_again_sign_in_again(
    at_home, riverside
):
    by_save(riverside, is_active=False)
    by_save(riverside, is_active=True)

    assert not is_signed_in(at_home)


def test_the_sessions_of_others_go_on(at_home, northgate):
    stranger = factories.UserFactory()
    for row in (stranger, northgate):
        by_save(row, is_active=False)
        by_save(row, is_active=True)

    assert is_signed_in(at_home)


def test_what_has_nothing_to_do_with_the_switch_ends_nothing(alice, key, granted):
    by_save(alice, full_name="Alice Anew")
    by_save(alice.institution, name="Riverside")
    by_save(key, name="Renamed", expires_at=timezone.now() + timedelta(days=1))

    assert not any(is_over(row) for row in granted)


def test_what_the_user_decided_is_kept(alice, confidential_key):
    ids = {
        "user_id": alice.pk,
        "key_id": confidential_key.pk,
        "institution_id": alice.institution_id,
    }
    now = timezone.now()
    consents.remember(**ids, scopes=Scopes(("directory",)), now=now)

    by_save(alice, is_active=False)
    by_save(alice, is_active=True)

    assert consents.granted_before(**ids, now=now) == {"directory"}


def test_a_request_under_way_in_the_browser_of_a_disabled_user_is_over(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    grant_page = log_in().url
    by_save(alice, is_active=False)
    by_save(alice, is_active=True)

    visitor.open(grant_page)

    assert visitor.heading == "This request is no longer open"
