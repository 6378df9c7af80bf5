"""The rate limit by address, where it speaks to people and to programs of this app."""

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def _two_a_minute(settings):
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "RATE_LIMITS": {"address": "2/minute"},
    }


def test_a_page_beyond_the_rate_says_how_long_to_wait(client):
    within = [client.get("/oauth2/auth").status_code for _ in range(2)]
    beyond = client.get("/oauth2/auth")

    assert within == [400, 400]
    assert beyond.status_code == 429
    assert 1 <= int(beyond["Retry-After"]) <= 60
    assert beyond.headers["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert f"wait {beyond['Retry-After']} seconds" in beyond.content.decode()


@pytest.mark.parametrize("endpoint", ["token", "revoke", "introspect", "accessToken"])
def test_an_endpoint_beyond_the_rate_answers_in_its_own_shape(client, endpoint):
    for _ in range(2):
        client.post(f"/oauth2/{endpoint}")
    beyond = client.post(f"/oauth2/{endpoint}")

    assert beyond.status_code == 429
    assert int(beyond["Retry-After"]) >= 1
    assert beyond.json()["message"] == "Too Many Requests"
    assert beyond["Cache-Control"] == "no-store"


def test_a_login_is_counted_like_any_page(client):
    answers = [client.post("/oauth2/login", {"username": "x"}) for _ in range(3)]

    assert answers[-1].status_code == 429
