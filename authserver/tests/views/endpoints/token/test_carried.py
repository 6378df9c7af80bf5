"""What a client asked for is carried from the request to the tokens, all of it.

A parameter is a column in up to four tables. The tests name every column of them, so one
that is added and forgotten on the way fails here (a new column, or a new field).
"""

from dataclasses import fields

import pytest
from django.utils import timezone

from authserver.authorization import pending
from authserver.authorization.openid_request import OpenIDRequest
from authserver.authorization.requests import AuthorizationRequest
from authserver.keys.scopes import Scopes
from authserver.keys.store import find_client
from authserver.models import AccessToken, Grant, PendingRequest, RefreshToken
from authserver.tests.conftest import CHALLENGE
from authserver.tests.oauth_client import REDIRECT, refresh

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OF_THE_ROW = {
    *("id", "created", "updated", "created_at", "expires", "expires_at", "consumed_at"),
    *("handle", "binding", "code", "token_checksum"),
    *("redeemed_at", "failed_verifiers", "revoked", "revoked_at"),
}
UNUSED = {
    *("claims", "resource", "id_token"),
    *("token", "access_token", "source_refresh_token"),
}
"""The toolkit's columns for what is not served, and for tokens in the clear."""
OPENID = {"nonce", "authentication"}
"""Of a code alone: the ID token is made when it is redeemed."""
ASKED = {"redirect_uri", "code_challenge", "code_challenge_method"}
INHERITED = {"user", "application", "institution", "scope", "token_family"}


def columns(model):
    return {field.name for field in model._meta.concrete_fields} - OF_THE_ROW


def values(row, names):
    return {name: getattr(row, name) for name in names}


def test_a_stored_request_comes_back_with_every_field(public):
    request = AuthorizationRequest(
        key=find_client(public.client_id),
        redirect_uri=REDIRECT,
        scopes=Scopes.parse("calendar_events context:1001"),
        state="some state",
        code_challenge=CHALLENGE,
        institution="1001",
        openid=OpenIDRequest(
            nonce="n",
            prompt=("consent", "login"),
            max_age=60,
            login_hint="alice",
            subject="alice's",
        ),
    )
    now = timezone.now()

    handle, _ = pending.store(request, binding="browser", now=now)
    found = pending.load(handle, binding="browser", now=now).request

    for each in (request, request.openid):  # so that no default passes for a value
        assert all(getattr(each, field.name) for field in fields(each))
    assert found == request
    assert columns(PendingRequest) == {
        *("key", "institution", "redirect_uri", "scope", "state", "code_challenge"),
        "openid",
    }


def test_a_code_and_its_tokens_carry_every_column(token, code_request):
    body = token.query(**code_request(scope="calendar_events refresh_token")).json()
    refresh(token, body["refresh_token"])

    grant = Grant.objects.get()
    rows = [*AccessToken.objects.all(), *RefreshToken.objects.all()]

    assert columns(Grant) == ASKED | INHERITED | OPENID | UNUSED & columns(Grant)
    assert all(values(grant, ASKED).values())
    assert len(rows) == 4
    for row in rows:
        assert columns(type(row)) == INHERITED | UNUSED & columns(type(row))
        assert values(row, INHERITED) == values(grant, INHERITED)
    for row in (grant, *rows):
        empty = values(row, UNUSED & columns(type(row))).values()
        assert all(value in (None, "", [], {}, "{}") for value in empty)
