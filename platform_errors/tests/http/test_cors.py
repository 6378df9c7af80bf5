"""Scripts of any origin may call the APIs, and read refusals too (decisions 6)."""

import pytest

from platform_errors.http import cors
from platform_errors.tests.factories import make_key

PREFLIGHT = {
    "HTTP_ORIGIN": "https://app.example",
    "HTTP_ACCESS_CONTROL_REQUEST_METHOD": "POST",
}


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/platform/probe", "GET, HEAD, POST, OPTIONS"),
        ("/platform/failing", "GET, HEAD, POST, PUT, OPTIONS"),
        ("/platform/identity/v1", "GET, HEAD, OPTIONS"),
        ("/platform/broken", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
        ("/platform/nowhere", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
        ("/platform/identity/v1/x", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ],
)
def test_a_preflight_names_every_method_of_the_route(api, path, methods):
    response = api.call("OPTIONS", path, **PREFLIGHT)

    assert response.status_code == 204
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Access-Control-Allow-Methods"] == methods
    assert response["Access-Control-Allow-Headers"] == (
        "Authorization, Content-Type, Accept, If-Match, If-None-Match, If-Modified-Since, "
        "If-Unmodified-Since, Idempotency-Key"
    )
    assert "Access-Control-Allow-Credentials" not in response
    assert response["x-svc-RequestId"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/platform/probe", 200),
        ("/platform/closed", 401),
        ("/platform/nowhere", 404),
        ("/platform/broken", 500),
    ],
)
def test_every_answer_may_be_read_errors_included(api, path, status):
    response = api.call("GET", path, accept=None)

    assert response.status_code == status
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Access-Control-Expose-Headers"] == (
        "ETag, Link, X-Total, x-svc-RequestId, x-svc-Reason"
    )
    assert "Access-Control-Allow-Credentials" not in response


@pytest.mark.django_db
def test_a_plain_options_goes_to_the_view(api):
    make_key()

    anonymous = api.call("OPTIONS", "/platform/closed")
    known = api.signed("OPTIONS", "/platform/credentials", accept="application/json")

    assert anonymous.status_code == 401
    assert known.json()["name"] == "Credentials Probe"


@pytest.mark.parametrize("path", ["/broken", "/platformed/probe", "/"])
def test_pages_stay_closed_to_other_origins(api, path):
    response = api.call("OPTIONS", path, **PREFLIGHT)

    assert "Access-Control-Allow-Origin" not in response


def test_a_viewset_route_has_the_methods_it_maps():
    assert cors.ALL_METHODS[0] == "GET"
    assert cors.route_methods("/platform/probe") == ("GET", "HEAD", "POST", "OPTIONS")
