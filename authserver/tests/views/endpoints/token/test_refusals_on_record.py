"""What clients are refused is on record, once each, with the reason."""

import pytest

from authserver.models import AuditEvent, Grant, RefusalCount
from authserver.tests.oauth_client import (
    TokenClient,
    basic,
    make_key,
    refresh,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Action = AuditEvent.Action
REFUSED = [Action.TOKEN_REFUSED, Action.CLIENT_REFUSED]


@pytest.fixture
def mallory(user):
    """A key of the same institution that is not the code's."""
    return make_key(user, "mallory")


def recorded():
    rows = AuditEvent.objects.filter(action__in=REFUSED).order_by("pk")
    return [
        (row.action, row.actor, row.subject, row.client_id, row.reason, row.address)
        for row in rows
    ]


def token_refused(reason, actor="spa", subject="alice@1001"):
    return [("token_refused", actor, subject, actor, reason, "127.0.0.1")]


def client_refused(reason, key="web"):
    return [("client_refused", "", "", key, reason, "127.0.0.1")]


def test_a_stolen_code_in_the_hands_of_another_client(token, code_request, mallory):
    token.query(**code_request(client_id="mallory"))

    assert recorded() == token_refused("code_of_another_client", "mallory")
    event = AuditEvent.objects.get(action=Action.TOKEN_REFUSED)
    assert (event.registry_id, event.details) == (
        "1001",
        {"grant_type": "authorization_code"},
    )
    assert event.request_id


def test_a_code_of_a_younger_client_in_the_hands_of_an_older_one(
    token, code_request, public, mallory
):
    refused = token.query(**code_request(key=mallory, client_id=public.client_id))

    assert refused.status_code == 400
    assert recorded() == token_refused("code_of_another_client")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code": "nope"}, "code_unknown"),
        ({"code_verifier": "x" * 43}, "verifier_wrong"),
        ({"code_verifier": None}, "verifier_missing"),
        ({"redirect_uri": "https://client.example/other"}, "redirect_uri_differs"),
        ({"contextInstitutionId": "1002"}, "institution_differs"),
    ],
)
def test_a_refused_code_leaves_one_row(token, code_request, changes, reason):
    asked = code_request(**changes)

    assert token.query(**asked).status_code == 400

    whose = "" if reason == "code_unknown" else "alice@1001"
    assert recorded() == token_refused(reason, subject=whose)
    assert asked["code"] not in str(AuditEvent.objects.get(action="token_refused").details)


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda user, key: type(user).objects.update(is_active=False), "user_not_in_force"),
        (lambda user, key: key.service_links.all().delete(), "service_not_on_key"),
        (lambda user, key: key.institution_links.all().delete(), "institution_not_on_key"),
    ],
    ids=["user disabled", "service off the key", "institution off the key"],
)
def test_a_code_of_what_has_ended_leaves_one_row(
    token, code_request, user, public, end, reason
):
    asked = code_request()
    end(user, public)

    token.query(**asked)

    assert recorded() == token_refused(reason)


def test_a_code_for_a_key_that_is_gone_from_pkce_leaves_one_row(token, code_request):
    asked = code_request()
    Grant.objects.update(code_challenge="")

    token.query(**asked)

    assert recorded() == token_refused("challenge_missing")


@pytest.mark.parametrize(
    ("changes", "reason", "actor", "subject"),
    [
        ({"refresh_token": "nope"}, "refresh_token_unknown", "spa", ""),
        (
            {"client_id": "mallory"},
            "refresh_token_of_another_client",
            "mallory",
            "alice@1001",
        ),
        ({"scope": "billing"}, "invalid_scope", "spa", "alice@1001"),
    ],
)
def test_a_refused_refresh_leaves_one_row(
    token, refreshable, mallory, changes, reason, actor, subject
):
    refresh(token, **{"refresh_token": refreshable["refresh_token"]} | changes)

    assert recorded() == token_refused(reason, actor, subject)


def test_an_expired_refresh_token_leaves_one_row(clock, token, refreshable):
    clock(7 * 24 * 3600)

    refresh(token, refreshable["refresh_token"])

    assert recorded() == token_refused("refresh_token_expired")


@pytest.mark.parametrize(
    ("headers", "values", "reason"),
    [
        ({"authorization": basic("web", "wrong")}, {}, "secret_mismatch"),
        ({}, {"client_secret": "wrong", "client_id": "web"}, "secret_mismatch"),
        ({}, {"client_id": "web"}, "secret_missing"),
    ],
)
@pytest.mark.parametrize("path", ["token", "revoke", "introspect"])
def test_failed_client_authentication_leaves_one_row(
    token, confidential, path, headers, values, reason
):
    token.path = f"/oauth2/{path}"

    response = token.form(
        headers, grant_type="client_credentials", token="tk_1", scope="x", **values
    )

    assert response.status_code == 401
    assert recorded() == client_refused(reason)


def test_other_keys_that_may_not_call_leave_one_row_each(token, user):
    make_key(user, "gone", canceled=True)
    make_key(user, "over", expired=True)
    make_key(user, "open")

    for values in (
        {"client_id": "nobody"},
        {"client_id": "gone"},
        {"client_id": "over"},
        {"client_id": "open", "client_secret": "x"},
    ):
        token.form(grant_type="refresh_token", refresh_token="x", **values)

    assert recorded() == [
        *client_refused("key_invalid", "nobody"),
        *client_refused("key_canceled", "gone"),
        *client_refused("key_expired", "over"),
        *client_refused("secret_unexpected", "open"),
    ]


def test_what_is_no_attempt_leaves_no_row(token, public):
    token.form()
    token.form(grant_type="refresh_token", refresh_token="x")
    token.form(grant_type="password", client_id="spa")
    TokenClient("/oauth2/revoke").form(token="x")

    assert recorded() == []
    assert not RefusalCount.objects.exists()


def test_a_replayed_code_leaves_one_row(token, code_request):
    asked = code_request()
    token.query(**asked)

    token.query(**asked)

    assert recorded() == []
    event = AuditEvent.objects.get(action=Action.CODE_REPLAYED)
    assert (event.actor, event.subject, event.reason) == ("spa", "alice@1001", "code_spent")


def test_the_verifier_that_burns_a_code_leaves_one_row(token, code_request):
    asked = code_request(code_verifier="x" * 43)
    for _ in range(5):
        token.query(**asked)

    assert len(recorded()) == 4
    event = AuditEvent.objects.get(action=Action.CODE_BURNED)
    assert (event.subject, event.reason) == ("alice@1001", "verifier_wrong")
