"""Rate limits: off by default, by address and by key, said in the mount's format."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import time_machine

from platform_errors import checks, throttling
from platform_errors.logging import circuit_breaker
from platform_errors.tests.clients import read_error
from platform_errors.tests.factories import make_key, make_token, make_wide_key

READ = "/platform/probe"


def test_without_a_rate_nobody_is_limited(api):
    answers = {api.get(READ).status_code for _ in range(20)}

    assert answers == {200}


def test_an_address_beyond_its_rate_is_told_when_to_come_back(api, change, accept):
    change(RATE_LIMITS={"address": "2/minute"})

    within = [api.get(READ).status_code for _ in range(2)]
    beyond = api.call("GET", READ, accept=accept)

    assert within == [200, 200]
    assert beyond.status_code == 429
    assert 1 <= int(beyond["Retry-After"]) <= 60
    assert read_error(beyond).message == "Too Many Requests"


@pytest.mark.parametrize("limit", ["address", "key"])
def test_a_refusal_says_which_limit_and_when_the_oldest_request_leaves_it(
    api, change, limit
):
    change(RATE_LIMITS={limit: "2/minute"})
    make_token("tk_one", key=make_key("one"))
    words = {"address": "from one address", "key": "with one service key"}[limit]

    with time_machine.travel(time.time(), tick=False) as clock:
        statuses = []
        for pause in (0, 20, 10):
            clock.shift(pause)
            refused = api.bearer("GET", READ, "tk_one", accept="application/json")
            statuses.append(refused.status_code)
        clock.shift(int(refused["Retry-After"]))
        after = api.bearer("GET", READ, "tk_one", accept=None)

    assert statuses == [200, 200, 429]
    assert read_error(refused).detail == f"the limit is 2 requests per minute {words}"
    assert {name: refused[name] for name in refused.headers if "Rate" in name} == {
        "RateLimit-Limit": "2",
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": "30",
    }
    assert refused["Retry-After"] == "30"
    assert after.status_code == 200


def test_addresses_are_counted_apart(api, change):
    change(RATE_LIMITS={"address": "1/minute"})

    first = api.get(READ, REMOTE_ADDR="192.0.2.1")
    second = api.get(READ, REMOTE_ADDR="192.0.2.2")

    assert (first.status_code, second.status_code) == (200, 200)


def test_the_addresses_of_one_ipv6_network_are_counted_together(api, change):
    change(RATE_LIMITS={"address": "1/minute"})

    answers = [
        api.get(READ, REMOTE_ADDR=address).status_code
        for address in ("2001:db8:1:2::a", "2001:db8:1:2:ffff::b", "2001:db8:1:3::a")
    ]

    assert answers == [200, 429, 200]


def test_a_caller_whose_address_is_unknown_is_not_counted(api, change):
    change(RATE_LIMITS={"address": "1/minute"})

    answers = [api.get(READ, REMOTE_ADDR="") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]


def test_a_key_beyond_its_rate_is_refused_and_another_key_is_not(api, change):
    change(RATE_LIMITS={"key": "1/minute"})
    make_token("tk_one", key=make_key("one"))
    make_token("tk_other", key=make_wide_key("other"))

    answers = [
        api.bearer("GET", READ, token, accept=None)
        for token in ("tk_one", "tk_one", "tk_other")
    ]

    assert [answer.status_code for answer in answers] == [200, 429, 200]
    assert int(answers[1]["Retry-After"]) >= 1


def test_anonymous_reads_do_not_count_for_any_key(api, change):
    change(RATE_LIMITS={"key": "1/minute"})

    answers = {api.get(READ).status_code for _ in range(3)}

    assert answers == {200}


@pytest.fixture
def lost_cache(settings, monkeypatch):
    """Lead the cache to a port where nobody listens."""
    monkeypatch.setattr(throttling, "outage", circuit_breaker.CircuitBreaker("lost"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        settings.CACHES = redis_at(taken.getsockname()[1])
        yield


def redis_at(port):
    return redis(f"redis://127.0.0.1:{port}")


def redis(location):
    return {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": location,
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }


def test_a_cache_that_is_away_limits_nobody_and_is_logged_once_a_minute(
    api, change, lost_cache, caplog
):
    change(RATE_LIMITS={"address": "1/minute", "key": "1/minute"})
    make_token("tk_one", key=make_key("one"))

    answers = [api.bearer("GET", READ, "tk_one", accept=None).status_code for _ in range(4)]

    assert answers == [200] * 4
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_a_cache_that_is_frozen_costs_its_time_limit_once(
    api, change, settings, monkeypatch
):
    monkeypatch.setattr(throttling, "outage", circuit_breaker.CircuitBreaker("lost"))
    monkeypatch.setattr(circuit_breaker, "PAUSE_SECONDS", 600)
    change(RATE_LIMITS={"address": "1/minute"})
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # accepts, and never answers
        settings.CACHES = redis_at(deaf.getsockname()[1])
        answers = [api.get(READ).status_code for _ in range(4)]
        asked = connections_made(deaf)

    assert answers == [200] * 4
    assert asked == 1


def connections_made(listening):
    """Count who has connected, which nobody has accepted yet."""
    listening.setblocking(False)
    count = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            listening.accept()[0].close()
            count += 1
    return count


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is missing")
def test_a_cache_that_comes_back_limits_again(api, change, settings, monkeypatch):
    monkeypatch.setattr(throttling, "outage", circuit_breaker.CircuitBreaker("lost"))
    monkeypatch.setattr(circuit_breaker, "PAUSE_SECONDS", 0.2)
    change(RATE_LIMITS={"address": "1/minute"})
    answers = []

    # The path of a socket is short, and nobody else takes it between the two servers.
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "redis"
        settings.CACHES = redis(f"unix://{path}")
        for _ in range(2):
            with redis_server(path):
                answers.append([api.get(READ).status_code for _ in range(2)])
            answers.append([api.get(READ).status_code for _ in range(2)])
            time.sleep(0.3)

    assert answers == [[200, 429], [200, 200], [200, 429], [200, 200]]


@contextlib.contextmanager
def redis_server(path):
    """Run a server with nothing in it, and wait until it listens."""
    command = ["redis-server", "--port", "0", "--unixsocket", path, "--save", ""]
    running = subprocess.Popen([*command, "--dir", path.parent], stdout=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
                break
            time.sleep(0.05)
        yield
    finally:
        running.terminate()
        running.wait()


@pytest.mark.parametrize("rate", ["many", "0/minute", "5/fortnight", "5/"])
def test_e011_a_rate_that_is_no_rate_is_an_error(change, rate):
    change(RATE_LIMITS={"address": rate})

    assert [found.id for found in checks.check_settings()] == ["platform_errors.E011"]
