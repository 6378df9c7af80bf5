"""The project's system checks, id by id."""

import pytest

from config import checks


@pytest.mark.parametrize(
    ("host", "public_url"),
    [("0.0.0.0", "http://127.0.0.1:8000"), ("127.0.0.1", "https://demo.example")],  # noqa: S104
)
def test_e001_a_demonstration_that_others_can_reach_is_an_error(settings, host, public_url):
    settings.DEMO, settings.HOST, settings.PUBLIC_URL = True, host, public_url

    assert [found.id for found in checks.check_demo_stays_at_home()] == ["config.E001"]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_e001_a_demonstration_on_this_machine_is_fine(settings, host):
    settings.DEMO, settings.HOST, settings.PUBLIC_URL = True, host, f"http://{host}:8000"

    assert checks.check_demo_stays_at_home() == []


def test_e001_a_real_server_may_listen_anywhere(settings):
    settings.DEMO, settings.HOST = False, "0.0.0.0"  # noqa: S104

    assert checks.check_demo_stays_at_home() == []


@pytest.fixture
def limited(settings):
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "RATE_LIMITS": {"address": "600/minute", "key": ""},
    }
    settings.WORKERS = 2
    return settings


def test_w001_rate_limits_in_a_cache_of_each_process_are_warned_about(limited):
    assert [found.id for found in checks.check_rate_limits_are_shared()] == ["config.W001"]


def test_w001_one_process_or_a_shared_cache_is_fine(limited):
    limited.WORKERS = 1
    assert checks.check_rate_limits_are_shared() == []

    limited.WORKERS = 2
    limited.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache"}}
    assert checks.check_rate_limits_are_shared() == []


def test_w001_without_limits_nothing_is_counted(settings):
    assert checks.check_rate_limits_are_shared() == []


def test_w002_https_without_a_trusted_proxy_is_warned_about(settings):
    settings.ISSUER, settings.TRUSTED_PROXIES = "https://platform.example", []

    assert [found.id for found in checks.check_https_can_arrive()] == ["config.W002"]


@pytest.mark.parametrize(
    ("issuer", "proxies"),
    [("https://platform.example", ["10.0.0.0/8"]), ("http://127.0.0.1:8000", [])],
)
def test_w002_a_named_proxy_or_plain_http_is_fine(settings, issuer, proxies):
    settings.ISSUER, settings.TRUSTED_PROXIES = issuer, proxies

    assert checks.check_https_can_arrive() == []
