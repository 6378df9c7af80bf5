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


def test_e003_messages_in_a_relative_directory_are_an_error(settings):
    settings.EMAIL_FILE_PATH = "var/mail"

    (found,) = checks.check_messages_are_written_to_one_place()

    assert found.id == "config.E003"


@pytest.mark.parametrize("directory", ["/var/mail", None])
def test_e003_an_absolute_directory_or_none_is_fine(settings, directory):
    settings.EMAIL_FILE_PATH = directory

    assert checks.check_messages_are_written_to_one_place() == []


@pytest.fixture
def limited(settings):
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


@pytest.fixture
def preloaded(settings):
    settings.SECURE_HSTS_PRELOAD = settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.SECURE_HSTS_SECONDS = checks.A_YEAR_SECONDS
    return settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECURE_HSTS_INCLUDE_SUBDOMAINS", False),
        ("SECURE_HSTS_SECONDS", checks.A_YEAR_SECONDS - 1),
    ],
)
def test_w003_a_preload_that_the_lists_refuse_is_warned_about(preloaded, name, value):
    setattr(preloaded, name, value)

    assert [found.id for found in checks.check_preload_can_be_granted()] == ["config.W003"]


def test_w003_a_preload_that_is_granted_and_none_are_fine(preloaded):
    assert checks.check_preload_can_be_granted() == []

    preloaded.SECURE_HSTS_PRELOAD = preloaded.SECURE_HSTS_INCLUDE_SUBDOMAINS = False
    assert checks.check_preload_can_be_granted() == []


@pytest.mark.parametrize(
    ("metrics", "found"), [(8000, ["config.E002"]), (9464, []), (0, [])]
)
def test_e002_metrics_on_the_port_of_the_application_are_an_error(settings, metrics, found):
    settings.PORT, settings.METRICS_PORT = 8000, metrics

    errors = checks.check_metrics_have_their_own_port()

    assert [error.id for error in errors] == found
