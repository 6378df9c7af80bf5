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
