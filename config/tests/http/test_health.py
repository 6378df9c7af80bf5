"""``/health/live`` and ``/health/ready``: for probes, which send little."""

import socket

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config.tests import faults

pytestmark = pytest.mark.both_databases

LIVE, READY = "/health/live", "/health/ready"


@pytest.fixture
def probe():
    return Client(raise_request_exception=False)


def redis_at(port):
    return {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{port}",
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }


def test_live_asks_nothing(probe):  # the test may not use the database either
    response = probe.get(LIVE)

    assert (response.status_code, response.content) == (200, b"ok\n")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["x-svc-RequestId"]


@pytest.mark.django_db
def test_ready_when_the_database_its_tables_and_the_cache_are(probe):
    first, second = probe.get(READY), probe.get(READY)

    assert (first.status_code, first.content) == (200, b"ok\n")
    assert (second.status_code, second.content) == (200, b"ok\n")


@pytest.mark.django_db
@pytest.mark.parametrize("address", [LIVE, READY])
def test_probes_are_answered_whatever_their_host_and_without_cookies(
    probe, address, settings
):
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "RATE_LIMITS": {"address": "1/minute"},
    }
    settings.SECURE_SSL_REDIRECT = True
    probe.cookies["session"] = "a" * 32

    answers = [probe.get(address, headers={"Host": "10.0.0.7:8000"}) for _ in range(3)]

    assert [response.status_code for response in answers] == [200, 200, 200]
    assert {"Set-Cookie" in response.headers for response in answers} == {False}
    assert probe.head(address).content == b""
    assert probe.post(address).status_code == 405


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(probe):
    MigrationRecorder.Migration.objects.filter(app="calendar_events").delete()

    response = probe.get(READY)

    assert (response.status_code, response.content) == (503, b"unavailable\n")
    assert response.headers["Retry-After"] == "2"
    assert probe.get(LIVE).status_code == 200


@pytest.mark.django_db
def test_not_ready_while_the_cache_is_away_or_frozen(probe, settings):
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        settings.CACHES = redis_at(deaf.getsockname()[1])
        frozen = probe.get(READY)
    away = probe.get(READY)

    assert (frozen.status_code, away.status_code) == (503, 503)


@pytest.mark.sqlite_only  # stops no database of its own
@pytest.mark.django_db
def test_not_ready_without_a_database_and_ready_again_with_one(probe, tmp_path):
    lost = {**connection.settings_dict, "NAME": str(tmp_path / "missing" / "db.sqlite3")}
    with faults.connected("default", lost):
        without = probe.get(READY)

    assert without.status_code == 503
    assert probe.get(READY).status_code == 200


def test_other_addresses_below_health_are_not_found(probe):
    assert probe.get("/health/").status_code == 404
