"""Refresh tokens: rotation, absolute lifetime, reuse (decisions 4)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from authserver.crypto import opaque
from authserver.models import AccessToken, AuditEvent, RefreshToken
from authserver.tests.oauth_client import (
    ALL,
    REDIRECT,
    assert_error,
    basic,
    make_key,
    refresh,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_refreshing_answers_like_the_first_time_and_rotates(token, refreshable):
    body = refresh(token, refreshable["refresh_token"]).json()

    assert body.keys() == refreshable.keys()
    assert body["refresh_token"] != refreshable["refresh_token"]
    assert body["access_token"] != refreshable["access_token"]
    assert body["scopes"] == "calendar_events directory refresh_token"
    assert AuditEvent.objects.filter(action="token_refreshed").count() == 1


def test_an_extra_redirect_uri_is_tolerated(token, refreshable):
    response = refresh(token, refreshable["refresh_token"], redirect_uri=REDIRECT)

    assert response.status_code == 200


def test_the_lifetime_of_the_family_is_absolute(token, refreshable):
    moment = timezone.now() + timedelta(seconds=1000)
    RefreshToken.objects.update(expires_at=moment)

    body = refresh(token, refreshable["refresh_token"]).json()

    newest = RefreshToken.objects.get(token_checksum=opaque.digest(body["refresh_token"]))
    assert newest.expires_at == moment
    assert int(body["refresh_token_expires_in"]) <= 1000


def test_reuse_of_a_refresh_token_revokes_the_family(token, refreshable):
    second = refresh(token, refreshable["refresh_token"]).json()

    assert_error(refresh(token, refreshable["refresh_token"]), 400, "invalid_grant")

    assert not AccessToken.objects.filter(revoked_at__isnull=True).exists()
    assert_error(refresh(token, second["refresh_token"]), 400, "invalid_grant")
    assert AuditEvent.objects.filter(action="refresh_replayed").count() == 1


def test_an_expired_refresh_token_is_refused(token, refreshable):
    RefreshToken.objects.update(expires_at=timezone.now())

    assert_error(refresh(token, refreshable["refresh_token"]), 400, "invalid_grant")


def test_a_refresh_token_is_its_own_clients(token, refreshable, user):
    make_key(user, "mallory")

    assert_error(
        refresh(token, refreshable["refresh_token"], client_id="mallory"),
        400,
        "invalid_grant",
    )
    assert refresh(token, refreshable["refresh_token"]).status_code == 200


def test_a_confidential_client_authenticates_to_refresh(token, code_request, confidential):
    headers = {"authorization": basic("web", "web-secret")}
    body = token.form(headers, **code_request(confidential, scope=ALL)).json()
    asked = {"grant_type": "refresh_token", "refresh_token": body["refresh_token"]}

    assert_error(token.form(client_id="web", **asked), 401, "invalid_client")
    assert token.form(headers, **asked).status_code == 200


def test_a_refresh_may_narrow_and_the_next_may_have_everything_again(token, refreshable):
    narrow = refresh(token, refreshable["refresh_token"], scope="directory").json()
    wide = refresh(token, narrow["refresh_token"]).json()

    assert narrow["scopes"] == "directory"
    assert wide["scopes"] == "calendar_events directory refresh_token"


@pytest.mark.parametrize(
    ("scope", "status"), [("billing", 400), ("directory billing", 400), ("a\tb", 400)]
)
def test_a_refresh_cannot_widen(token, refreshable, scope, status):
    assert_error(
        refresh(token, refreshable["refresh_token"], scope=scope), status, "invalid_scope"
    )
    assert refresh(token, refreshable["refresh_token"]).status_code == 200


@pytest.mark.parametrize("value", ["nope", "\x00", "é", "x" * 5000])
def test_an_unknown_refresh_token_is_refused(token, public, value):
    assert_error(refresh(token, value), 400, "invalid_grant")
