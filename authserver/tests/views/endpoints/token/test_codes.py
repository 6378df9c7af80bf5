"""Codes: spent once, verified, replays punished (decisions 3.4, decisions 4)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken
from authserver.tests.oauth_client import (
    ALL,
    REDIRECT,
    assert_error,
    make_key,
    new_code,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


# --- Codes ---


def test_a_code_is_redeemed_once_and_a_replay_revokes_its_tokens(token, code_request):
    asked = code_request(scope=ALL)
    assert token.query(**asked).status_code == 200

    assert_error(token.query(**asked), 400, "invalid_grant", "the code is not valid")

    assert AccessToken.objects.get().revoked_at is not None
    assert RefreshToken.objects.get().revoked is not None
    assert AuditEvent.objects.filter(action="code_replayed").count() == 1


def test_a_replay_is_recognised_after_the_code_has_expired(token, code_request):
    asked = code_request()
    token.query(**asked)
    Grant.objects.update(expires=timezone.now() - timedelta(hours=1))

    token.query(**asked)

    assert AccessToken.objects.get().revoked_at is not None


def test_a_replay_revokes_what_was_refreshed_since(token, code_request):
    asked = code_request(scope=ALL)
    first = token.query(**asked).json()
    token.query(
        grant_type="refresh_token", client_id="spa", refresh_token=first["refresh_token"]
    )

    token.query(**asked)

    assert not AccessToken.objects.filter(revoked_at__isnull=True).exists()
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()


def test_a_replay_by_another_client_revokes_nothing(token, code_request, user):
    make_key(user, "mallory")
    asked = code_request()
    token.query(**asked)

    assert_error(token.query(**asked | {"client_id": "mallory"}), 400, "invalid_grant")

    assert AccessToken.objects.get().revoked_at is None


def test_an_expired_code_is_refused(token, code_request):
    asked = code_request()
    Grant.objects.update(expires=timezone.now())

    assert_error(token.query(**asked), 400, "invalid_grant")


@pytest.mark.parametrize("code", ["nope", "\x00", "é", "x" * 5000])
def test_an_unknown_code_is_refused(token, code_request, code):
    assert_error(token.form(**code_request(code=code)), 400, "invalid_grant")


@pytest.mark.parametrize("address", ["https://client.example/other", REDIRECT + "?", "x"])
def test_another_redirect_uri_is_refused(token, code_request, address):
    assert_error(token.query(**code_request(redirect_uri=address)), 400, "invalid_grant")
    assert not AccessToken.objects.exists()


# --- PKCE ---


def test_without_a_verifier_nothing_is_redeemed(token, code_request):
    assert_error(
        token.query(**code_request(code_verifier=None)),
        400,
        "invalid_request",
        "required parameter 'code_verifier' is missing or blank",
    )


@pytest.mark.parametrize(
    "wrong", ["x" * 43, "x" * 42, "x" * 129, "é" * 43, "x" * 43 + "=", "x" * 42 + "+"]
)
def test_a_wrong_verifier_is_refused(token, code_request, wrong):
    assert_error(token.form(**code_request(code_verifier=wrong)), 400, "invalid_grant")


def test_a_padded_verifier_is_outside_the_alphabet(token, user, public):
    padded = "x" * 42 + "="
    code = new_code(user=user, key=public, verifier=padded)

    response = token.form(
        grant_type="authorization_code",
        code=code,
        client_id="spa",
        redirect_uri=REDIRECT,
        code_verifier=padded,
    )

    assert_error(response, 400, "invalid_grant")


def test_five_wrong_verifiers_burn_the_code(token, code_request):
    asked = code_request()
    for _ in range(4):
        token.query(**asked | {"code_verifier": "x" * 43})
    assert Grant.objects.get().redeemed_at is None

    token.query(**asked | {"code_verifier": "x" * 43})

    assert_error(token.query(**asked), 400, "invalid_grant", "the code is not valid")
    assert AuditEvent.objects.filter(action="code_burned").count() == 1
    assert not AccessToken.objects.exists()


def test_four_wrong_verifiers_do_not(token, code_request):
    asked = code_request()
    for _ in range(4):
        token.query(**asked | {"code_verifier": "x" * 43})

    assert token.query(**asked).status_code == 200
