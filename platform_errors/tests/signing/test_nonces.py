"""The nonce is claimed once, whoever asks, and however many at a time."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, connections, transaction

from platform_errors.models import Nonce
from platform_errors.signing.nonces import SWEEP_LIMIT, claim_nonce
from platform_errors.tests.clients import Api, authorization, read_error
from platform_errors.tests.factories import make_key

pytestmark = pytest.mark.both_databases

CREDENTIALS = "/platform/credentials"


def claim(timestamp=1000, nonce="n", oldest=0):
    return claim_nonce(client_id="key", timestamp=timestamp, nonce=nonce, oldest=oldest)


@pytest.mark.django_db
def test_the_second_claim_is_refused():
    assert [claim(), claim()] == [True, False]


@pytest.mark.django_db(transaction=True)
def test_of_a_hundred_parallel_repeats_exactly_one_passes():
    make_key()
    header = authorization("GET", CREDENTIALS)
    gate = Barrier(10)

    def repeat(_):
        gate.wait()
        try:
            return Api().call("GET", CREDENTIALS, header, accept=None).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(10) as pool:
        statuses = sorted(pool.map(repeat, range(100)))

    assert statuses == [200] + [401] * 99


@pytest.mark.django_db(transaction=True)
def test_a_claim_outlives_the_connection_that_made_it():
    claim()
    connection.close()

    assert not claim()


IMPATIENT = {"sqlite": "PRAGMA busy_timeout = 50", "postgresql": "SET lock_timeout = 50"}
BLOCKING = {
    "sqlite": ["BEGIN IMMEDIATE"],
    "postgresql": ["BEGIN", "LOCK TABLE platform_errors_nonce IN EXCLUSIVE MODE"],
}


@pytest.mark.django_db(transaction=True)
def test_unavailable_when_the_database_is_locked_says_when_to_retry(accept):
    make_key()
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute(IMPATIENT[connection.vendor])
    try:
        with other.cursor() as cursor:
            for statement in BLOCKING[connection.vendor]:
                cursor.execute(statement)

        response = Api().signed("GET", CREDENTIALS, accept=accept)
    finally:
        other.close()
        connection.close()

    assert read_error(response).status == 503
    assert read_error(response).message == "Service Unavailable"
    assert int(response["Retry-After"]) > 0


@pytest.mark.django_db
def test_old_nonces_are_cleared_along_the_way():
    for number in range(4):
        Nonce.objects.create(client_id="key", timestamp=number, nonce="old")
    Nonce.objects.create(client_id="key", timestamp=500, nonce="young")
    if connection.vendor != "postgresql":  # one claim in a thousand sweeps
        Nonce.objects.create(
            id=SWEEP_LIMIT - 1, client_id="key", timestamp=600, nonce="last before"
        )

    claim(nonce="one", oldest=500)
    claim(nonce="two", oldest=500)

    assert not Nonce.objects.filter(timestamp__lt=500).exists()
    assert Nonce.objects.filter(nonce__in=["young", "one", "two"]).count() == 3


@pytest.mark.django_db
@pytest.mark.postgresql_only  # SQLite sweeps by counting, see above
def test_a_process_looks_for_old_nonces_once_a_second():
    claim(nonce="first", oldest=600)
    Nonce.objects.create(client_id="key", timestamp=1, nonce="old")

    claim(nonce="in the same second", oldest=600)
    assert Nonce.objects.filter(nonce="old").exists()

    claim(nonce="in the next", oldest=601)
    assert not Nonce.objects.filter(nonce="old").exists()


@pytest.mark.django_db
def test_a_server_whose_clock_is_fast_gives_no_nonce_out_again(api):
    make_key()
    used = authorization("GET", CREDENTIALS)
    assert api.call("GET", CREDENTIALS, used).status_code == 200
    if connection.vendor != "postgresql":  # the fast server's claim is the one that sweeps
        Nonce.objects.create(id=SWEEP_LIMIT - 1, client_id="x", timestamp=2**33, nonce="x")

    for days in (1 / 24, 2):
        with time_machine.travel(dt.timedelta(days=days), tick=True):
            fast = api.signed("GET", CREDENTIALS)

    assert fast.status_code == 200
    assert api.call("GET", CREDENTIALS, used).status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields", [{"timestamp": -1}, {"timestamp": 1000}], ids=["negative", "twice"]
)
def test_the_database_knows_the_rules(fields):
    claim()
    nonce = Nonce(client_id="key", nonce="n", **fields)

    with pytest.raises(IntegrityError), transaction.atomic():
        nonce.save()
    with pytest.raises(ValidationError):
        nonce.validate_constraints()


def test_a_nonce_reads_as_its_three_facts():
    assert str(Nonce(client_id="key", timestamp=1, nonce="n")) == "key 1 n"
