"""What clients are refused is on record, and how often they may try is limited."""

import pytest
from django.conf import settings as configured

from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken, RefusalCount
from authserver.tests import factories
from authserver.tests.oauth_client import (
    REDIRECT,
    TokenClient,
    assert_error,
    basic,
    make_key,
    refresh,
)

pytestmark = pytest.mark.django_db

Action = AuditEvent.Action
REFUSED = [Action.TOKEN_REFUSED, Action.CLIENT_REFUSED]
LIMIT = 20


@pytest.fixture
def limit(settings):
    """Lower the limit: ``limit(3)``."""

    def lower(failures):
        settings.AUTHSERVER = {
            **configured.AUTHSERVER,
            "CLIENT_FAILURES_PER_ADDRESS": failures,
        }

    return lower


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


# --- One row each ---


def test_a_stolen_code_in_the_hands_of_another_client(token, code_request, mallory):
    token.query(**code_request(client_id="mallory"))

    assert recorded() == token_refused("code_of_another_client", "mallory")
    event = AuditEvent.objects.get(action=Action.TOKEN_REFUSED)
    assert (event.registry_id, event.details) == (
        "1001",
        {"grant_type": "authorization_code"},
    )
    assert event.request_id


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


# --- The limit ---


def guess(token, secret, address="192.0.2.1"):
    return token.client.post(
        "/oauth2/token",
        "grant_type=client_credentials&scope=calendar_events",
        content_type="application/x-www-form-urlencoded",
        headers={"authorization": basic("web", secret)},
        REMOTE_ADDR=address,
    )


def test_secrets_cannot_be_guessed_without_end(token, confidential, clock):
    for _ in range(LIMIT):
        assert guess(token, "wrong").status_code == 401
    clock(60)

    wrong, right = guess(token, "wrong"), guess(token, "web-secret")

    for response in (wrong, right):
        assert_error(response, 429, "temporarily_unavailable", "Too Many Requests")
        assert response["Retry-After"] == str(15 * 60 - 60)
    assert not AccessToken.objects.exists()
    assert len(recorded()) == LIMIT
    assert RefusalCount.objects.get().refusals == LIMIT


def test_the_limit_is_over_with_its_window(token, confidential, clock, limit):
    limit(2)
    guess(token, "wrong")
    clock(899)
    guess(token, "wrong")
    assert guess(token, "web-secret")["Retry-After"] == "1"

    clock(1)

    assert guess(token, "web-secret").status_code == 200
    assert guess(token, "wrong").status_code == 401
    assert guess(token, "web-secret").status_code == 200


def test_one_failure_less_is_within_the_limit(token, confidential, limit):
    limit(3)
    for _ in range(2):
        guess(token, "wrong")

    assert guess(token, "web-secret").status_code == 200


def test_the_limit_is_of_one_key_from_one_address(token, user, confidential, limit):
    make_key(user, "other", secret="web-secret")
    limit(1)
    guess(token, "wrong")

    elsewhere = guess(token, "web-secret", address="192.0.2.2")
    other_key = token.client.post(
        "/oauth2/token",
        "grant_type=client_credentials&scope=calendar_events",
        content_type="application/x-www-form-urlencoded",
        headers={"authorization": basic("other", "web-secret")},
        REMOTE_ADDR="192.0.2.1",
    )

    assert guess(token, "web-secret").status_code == 429
    assert (elsewhere.status_code, other_key.status_code) == (200, 200)


def test_an_ipv6_network_is_one_address(token, confidential, limit):
    limit(1)
    guess(token, "wrong", address="2001:db8:1:2::1")

    assert guess(token, "web-secret", address="2001:db8:1:2:ffff::9").status_code == 429
    assert guess(token, "web-secret", address="2001:db8:1:3::1").status_code == 200
    assert AuditEvent.objects.get(action=Action.CLIENT_REFUSED).address == "2001:db8:1:2::1"


@pytest.mark.parametrize("path", ["revoke", "introspect"])
def test_the_limit_holds_at_every_endpoint(token, confidential, limit, path):
    limit(1)
    endpoint = TokenClient(f"/oauth2/{path}")
    endpoint.form({"authorization": basic("web", "wrong")}, token="tk_1")

    response = endpoint.form({"authorization": basic("web", "web-secret")}, token="tk_1")

    assert_error(response, 429, "temporarily_unavailable")
    assert response["Retry-After"]


def test_a_public_key_is_never_locked(token, code_request, limit):
    limit(1)
    for _ in range(3):
        token.form(client_secret="x", **code_request())
        token.query(**code_request(code_verifier="x" * 43))

    assert token.query(**code_request()).status_code == 200
    assert len(recorded()) == 2


def test_a_canceled_key_reads_why_however_often_it_calls(token, user, limit):
    limit(1)
    make_key(user, "gone", secret="web-secret", canceled=True)

    for _ in range(3):
        response = token.form(
            {"authorization": basic("gone", "wrong")}, grant_type="client_credentials"
        )
        assert_error(response, 403, "invalid_client", "service key has been canceled")
    assert len(recorded()) == 1


def test_names_of_keys_that_do_not_exist_cannot_fill_the_record(token, db):
    for number in range(LIMIT + 5):
        response = token.form(
            grant_type="refresh_token", refresh_token="x", client_id=f"nobody-{number}"
        )
        assert response.status_code == 401

    assert len(recorded()) == LIMIT
    assert RefusalCount.objects.count() == 1


def test_refused_codes_cannot_fill_the_record_and_read_the_same(token, public):
    for number in range(LIMIT + 5):
        response = token.query(
            grant_type="authorization_code",
            code=f"c{number}",
            client_id="spa",
            redirect_uri=REDIRECT,
            code_verifier="x" * 43,
        )
        assert_error(response, 400, "invalid_grant", "the code is not valid")

    assert len(recorded()) == LIMIT


def test_a_replay_is_recorded_beyond_the_limit_too(token, code_request, limit):
    limit(1)
    asked = code_request()
    token.query(**asked)
    for _ in range(2):
        token.query(**code_request(code="nope"))

    token.query(**asked)

    assert AuditEvent.objects.filter(action=Action.CODE_REPLAYED).count() == 1


def test_refused_refreshes_never_lock_the_authentication(token, confidential, limit):
    limit(1)
    for _ in range(3):
        refused = token.form(
            {"authorization": basic("web", "web-secret")},
            grant_type="refresh_token",
            refresh_token="nope",
        )
        assert_error(refused, 400, "invalid_grant")

    assert not RefreshToken.objects.exists()
    assert len(recorded()) == 1


def test_an_exchange_with_a_secret_costs_no_statement_more(
    token, code_request, confidential, django_assert_num_queries
):
    factories.ServiceKeyFactory(client_id="elsewhere")
    asked = code_request(confidential)
    token.form(client_secret="wrong", **asked)

    # key with its failures, grant, savepoint, spend, access token, audit, release
    with django_assert_num_queries(7):
        token.form(client_secret="web-secret", **asked)
