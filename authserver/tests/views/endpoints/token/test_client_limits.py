"""How often clients may fail: a limit on guesses, and on what is recorded of refusals."""

import pytest
from django.conf import settings as configured

from authserver.models import AccessToken, AuditEvent, RefreshToken, RefusalCount
from authserver.tests import factories
from authserver.tests.oauth_client import (
    REDIRECT,
    TokenClient,
    assert_error,
    basic,
    make_key,
)
from platform_errors.tests.clients import authorization

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Action = AuditEvent.Action
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


def recorded():
    return AuditEvent.objects.filter(
        action__in=[Action.TOKEN_REFUSED, Action.CLIENT_REFUSED]
    )


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
    assert recorded().count() == LIMIT
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
    assert recorded().count() == 2


def test_a_canceled_key_reads_why_however_often_it_calls(token, user, limit):
    limit(1)
    make_key(user, "gone", secret="web-secret", canceled=True)

    for _ in range(3):
        response = token.form(
            {"authorization": basic("gone", "wrong")}, grant_type="client_credentials"
        )
        assert_error(response, 403, "invalid_client", "service key has been canceled")
    assert recorded().count() == 1


def test_names_of_keys_that_do_not_exist_cannot_fill_the_record(token, db):
    for number in range(LIMIT + 5):
        response = token.form(
            grant_type="refresh_token", refresh_token="x", client_id=f"nobody-{number}"
        )
        assert response.status_code == 401

    assert recorded().count() == LIMIT
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

    assert recorded().count() == LIMIT


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
    assert recorded().count() == 1


def test_an_exchange_with_a_secret_costs_no_statement_more(
    token, code_request, confidential, django_assert_num_queries
):
    factories.ServiceKeyFactory(client_id="elsewhere")
    asked = code_request(confidential)
    token.form(client_secret="wrong", **asked)

    # key with its failures, grant, savepoint, spend, access token, audit, release
    with django_assert_num_queries(7):
        token.form(client_secret="web-secret", **asked)


def signed_call(token, client_id, secret):
    address = "/oauth2/token?grant_type=client_credentials&scope=calendar_events"
    header = authorization("POST", address, client_id=client_id, secret=secret)
    return token.client.post(
        address, "", content_type="text/plain", headers={"authorization": header}
    )


def test_a_client_that_signs_is_limited_like_one_with_a_secret(token, confidential, limit):
    limit(2)
    assert signed_call(token, "web", "web-secret").status_code == 200
    for _ in range(2):
        assert signed_call(token, "web", "wrong").status_code == 401

    assert_error(signed_call(token, "web", "web-secret"), 429, "temporarily_unavailable")


def test_a_client_that_signs_and_is_unknown_is_refused_like_any_other(token, limit):
    limit(1)

    for _ in range(2):
        assert_error(signed_call(token, "nobody", "secret"), 401, "invalid_client")
