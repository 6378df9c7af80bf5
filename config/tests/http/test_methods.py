"""Methods that nobody asked for."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/admin/login/", "/oauth2/auth", "/oauth2/token", "/media/none.png"),
        *("/platform/events/v1/events", "/platform/identity/v1", "/health/live"),
    ],
)
def test_trace_is_refused_and_echoes_nothing(client, path):
    response = client.trace(path, headers={"x-secret": "a value to echo"})

    assert response.status_code in {400, 401, 405}
    assert b"a value to echo" not in response.content
