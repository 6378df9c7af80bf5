"""SQLite on a disk that is full, and the wait for its one writer."""

import pytest
from django.db import connection
from django.test import Client

from authserver.tests import factories
from platform_errors.tests.clients import authorization

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.sqlite_only,  # about SQLite
]
IDENTITY = "/platform/identity/v1"
SECRET = "a secret of the tests"


def test_a_full_disk_is_503_for_writes_and_nothing_for_reads():
    site = Client(raise_request_exception=False)
    key = factories.ServiceKeyFactory(client_id="signer", secret=SECRET)

    def call(number):
        signed = authorization(
            *("GET", IDENTITY),
            client_id=key.client_id,
            secret=SECRET,
            nonce=f"{number:0>120}",
        )
        return site.get(IDENTITY, headers={"Authorization": signed})

    with connection.cursor() as cursor:
        # Pages that tests before this one have given back would take the writes below.
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA page_count")
        cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0]}")
    try:
        full = next(answer for answer in map(call, range(500)) if answer.status_code != 200)
        reading = site.get("/platform/events/v1/events")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")

    assert (full.status_code, full.headers.get("Retry-After")) == (503, "2"), full.content
    assert reading.status_code == 200
    assert call(501).status_code == 200


def test_a_writer_waits_for_another_as_long_as_the_lock_limit():
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone()[0] == 5000
