"""When a key was last used, and why it was refused: kept, within bounds, at no risk."""

import threading
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection, transaction
from django.utils import timezone

from authserver.keys import activity
from authserver.models import KeyRefusal, ServiceKey
from authserver.tests import factories
from platform_errors.logging.circuit_breaker import CircuitBreaker
from platform_errors.tests.clients import authorization

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

IDENTITY = "/platform/identity/v1"
EVENTS = "/platform/events/v1/events"
OUR_BOUND = 10
SECRET = "a secret"  # of the confidential key


@pytest.fixture(autouse=True)
def switched_on(settings, monkeypatch):
    """As in production, in a process that has just started."""
    entries = {"KEY_USE_SECONDS": 3600, "KEY_REFUSALS": 20}
    settings.AUTHSERVER = settings.AUTHSERVER | entries
    monkeypatch.setattr(activity, "outage", CircuitBreaker("not recorded"))
    activity.written.clear()
    yield
    activity.written.clear()


@pytest.fixture
def call(client, confidential_key):
    """Send a request that the confidential key signed, well or badly."""

    def send(url=IDENTITY, method="GET", client_id="web", secret=SECRET, **more):
        header = authorization(method, url, client_id=client_id, secret=secret)
        return client.generic(method, url, HTTP_AUTHORIZATION=header, **more)

    return send


@pytest.fixture
def with_token(client, confidential_key, alice):
    factories.AccessTokenFactory(
        application=confidential_key, user=alice, token_text="tk_1"
    )
    return lambda: client.get(IDENTITY, HTTP_AUTHORIZATION="Bearer tk_1")


def post(client, form):
    return client.post(
        "/oauth2/token", urlencode(form), "application/x-www-form-urlencoded"
    )


def last_use(client_id="web"):
    return ServiceKey.objects.get(client_id=client_id).last_used_at


def reasons():
    return list(KeyRefusal.objects.order_by("pk").values_list("reason", flat=True))


# --- The last use -------------------------------------------------------------------------


def test_a_signed_request_is_a_use_of_its_key(call):
    before = timezone.now()

    assert call().status_code == 200

    assert last_use() >= before


def test_a_bearer_token_is_a_use_of_its_key(with_token):
    assert with_token().status_code == 200

    assert last_use() is not None


@pytest.mark.parametrize("secret", ["a secret", "another"])
def test_a_client_that_proves_itself_uses_its_key(client, confidential_key, secret):
    form = {"grant_type": "client_credentials", "scope": "directory context:1001"}

    post(client, form | {"client_id": "web", "client_secret": secret})

    assert (last_use() is not None) == (secret == "a secret")


def test_the_name_of_a_public_key_proves_nothing(client, key):
    form = {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "spa"}

    assert post(client, form).status_code == 400

    assert last_use("spa") is None


def test_a_use_is_written_once_in_a_while(call, with_token, django_assert_num_queries):
    call()
    first = last_use()

    with django_assert_num_queries(1):  # the token; no more than without all this
        assert with_token().status_code == 200

    assert last_use() == first


def test_what_another_process_wrote_meanwhile_stays(call):
    call()
    first = last_use()
    activity.written.clear()

    call()

    assert last_use() == first


def test_a_use_is_written_again_when_the_time_has_passed(call, confidential_key):
    long_ago = timezone.now() - timedelta(hours=2)
    ServiceKey.objects.update(last_used_at=long_ago)

    call()

    assert last_use() > long_ago + timedelta(hours=1)


def test_a_request_that_is_refused_for_something_else_is_a_use(call):
    assert call(f"{EVENTS}/1", "DELETE").status_code == 400

    assert last_use() is not None
    assert reasons() == ["institution_not_named"]


def test_nothing_is_written_where_it_is_switched_off(call, settings):
    off = {"KEY_USE_SECONDS": 0, "KEY_REFUSALS": 0}
    settings.AUTHSERVER = settings.AUTHSERVER | off

    call()
    call(secret="another")

    assert (last_use(), reasons()) == (None, [])


# --- The last refusals --------------------------------------------------------------------


def test_a_refusal_is_kept_with_its_reason_and_no_query(call):
    response = call(f"{IDENTITY}?contextInstitutionId=1001", secret="another")

    refusal = KeyRefusal.objects.get()
    assert (refusal.reason, refusal.status_code) == ("signature_invalid", 401)
    assert (refusal.method, refusal.path, refusal.key.client_id) == ("GET", IDENTITY, "web")
    assert refusal.request_id == response["x-svc-RequestId"]
    assert last_use() is None


def test_a_key_that_does_not_exist_leaves_nothing(call):
    assert call(client_id="nobody").status_code == 401

    assert reasons() == []


def test_refusals_of_tokens_of_the_token_endpoint_and_of_users_are_kept(
    client, key, confidential_key, alice, address
):
    factories.AccessTokenFactory(
        application=confidential_key, user=alice, token_text="tk_1", expired=True
    )

    client.get(IDENTITY, HTTP_AUTHORIZATION="Bearer tk_1")
    form = {"grant_type": "client_credentials", "client_id": "web"}
    post(client, form | {"client_secret": "another"})
    client.get(address(key, scope="nothing"))
    client.get(address(key, redirect_uri="https://elsewhere.example/"))

    assert reasons() == [
        *("token_expired", "secret_mismatch", "service_not_on_key"),
        "redirect_uri_mismatch",
    ]
    paths = KeyRefusal.objects.order_by("pk").values_list("path", flat=True)
    assert list(paths) == [IDENTITY, "/oauth2/token", *["/oauth2/auth/1001"] * 2]


def test_what_was_not_found_is_no_refusal_of_the_key(call):
    assert call(f"{EVENTS}/404").status_code == 404

    assert reasons() == []


def test_one_key_makes_a_few_rows_at_most_in_a_while(call):
    for _ in range(2 * OUR_BOUND):
        call(secret="another")

    assert len(reasons()) == OUR_BOUND


def test_the_last_ones_are_kept(call, settings):
    settings.AUTHSERVER = settings.AUTHSERVER | {"KEY_REFUSALS": 3}
    other = factories.KeyRefusalFactory(reason="of another key")
    for count in range(4):
        call(secret="another", HTTP_X_SVC_REQUESTID=f"request-{count}")
        activity.written.clear()

    kept = KeyRefusal.objects.exclude(pk=other.pk)
    assert kept.count() == 3
    assert KeyRefusal.objects.filter(pk=other.pk).exists()


def test_what_is_remembered_is_bounded(call, monkeypatch):
    monkeypatch.setattr(activity.written, "_max_entries", 3)
    for number in range(5):
        factories.ServiceKeyFactory(client_id=f"many{number}", secret="a secret")
        call(client_id=f"many{number}", secret="another")

    assert len(activity.written._cache) <= 3
    assert len(reasons()) == 5


# --- At no risk ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_read_does_not_wait_for_a_lock(with_token):
    """On SQLite any transaction that writes holds it, on PostgreSQL one on the key."""
    locked, done = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            ServiceKey.objects.select_for_update().get(client_id="web")
            locked.set()
            done.wait(60)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(30)
    try:
        response = with_token()
        assert holder.is_alive()  # nobody waited until it had finished
    finally:
        done.set()
        holder.join()

    assert response.status_code == 200
    assert last_use() is None


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_writes_still_answers_reads(with_token, caplog):
    sqlite = connection.vendor == "sqlite"
    statement = (
        "PRAGMA query_only = {}" if sqlite else "SET default_transaction_read_only = {}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement.format("on"))
    try:
        answers = [with_token().status_code for _ in range(3)]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(statement.format("off"))

    assert answers == [200] * 3
    assert caplog.text.count("not recorded") == 1


@pytest.mark.sqlite_only  # SQLite's own limit
@pytest.mark.django_db(transaction=True)
def test_the_limit_of_sqlite_is_what_it_was_afterwards(call):
    def limit():
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout")
            return cursor.fetchone()

    before = limit()
    call()

    assert (limit(), last_use() is not None) == (before, True)
