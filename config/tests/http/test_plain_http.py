"""Plain http under an https ``PUBLIC_URL``: pages redirect, programs are refused."""

import json

import pytest
from django.conf import settings as configured

EVENTS = f"{configured.CALENDAR_EVENTS['ROOT_PATH']}/events"
IDENTITY = f"/{configured.BASE_MOUNT}{configured.VENDOR_NS}/identity/v1"
PROXY = "10.0.0.7"
STRANGER = "192.0.2.1"

pytestmark = pytest.mark.django_db


@pytest.fixture
def https(settings):
    """A server that is announced at https and has proxies in front."""
    settings.ISSUER = settings.PUBLIC_URL = "https://auth.example"
    settings.ALLOWED_HOSTS = ["auth.example", "testserver"]
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "TRUSTED_PROXIES": ["10.0.0.0/8"],
    }
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 60
    return settings


@pytest.mark.parametrize("method", ["get", "head", "post"])
@pytest.mark.parametrize(
    "path", ["/", "/oauth2/institution", "/admin/login/?next=/admin/", "/nowhere/?q=a%20b"]
)
def test_a_page_redirects_to_https_with_its_method_and_query(https, client, method, path):
    response = getattr(client, method)(path)

    assert response.status_code == 308
    assert response["Location"] == f"https://auth.example{path}"
    assert "Strict-Transport-Security" not in response
    assert not response.cookies


@pytest.mark.parametrize("host", ["evil.example", "auth.example:8000"])
def test_the_redirect_never_follows_the_host_header(https, client, host):
    response = client.get("//evil.example/x", headers={"host": host})

    assert response.status_code == 308
    assert response["Location"].startswith("https://auth.example/")


def test_a_long_authorization_request_redirects_whole(https, client):
    response = client.get("/oauth2/auth", {"state": "s" * 4096})

    assert response["Location"] == f"https://auth.example/oauth2/auth?state={'s' * 4096}"


def test_the_events_interface_refuses_in_its_format(https, client):
    response = client.get(EVENTS)

    assert response.status_code == 403
    assert response.json()["code"] == "rest_forbidden"
    assert response.json()["message"] == "https is required"
    assert response["Access-Control-Allow-Origin"] == "*"


def test_a_platform_service_refuses_in_its_format(https, client):
    response = client.get(IDENTITY)

    assert response.status_code == 403
    assert response["Content-Type"] == "application/xml; charset=utf-8"
    assert b"<message>https is required</message>" in response.content


@pytest.mark.parametrize("name", ["token", "revoke", "introspect", "token/"])
def test_the_token_endpoint_refuses_in_its_format(https, client, name):
    response = client.post(f"/oauth2/{name}", {"grant_type": "authorization_code"})

    assert response.status_code == 403
    assert response["Cache-Control"] == "no-store"
    body = json.loads(response.content)
    assert (body["error"], body["code"]) == ("invalid_request", 403)
    assert body["error_description"] == "https is required"


def test_the_old_token_endpoint_refuses_in_its_format(https, client):
    response = client.post("/oauth2/accessToken")

    assert response.status_code == 403
    assert "error" not in response.json()


def test_the_metadata_refuses_in_its_format(https, client):
    response = client.get("/.well-known/oauth-authorization-server")

    assert response.status_code == 403
    assert response.json()["message"] == "https is required"


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/metrics"])
def test_health_and_metrics_are_asked_in_plain_http(https, client, path):
    assert client.get(path).status_code not in {308, 403}


@pytest.mark.parametrize("path", ["/health", "/health/livelier", "/metrics.html"])
def test_their_neighbours_are_not(https, client, path):
    assert client.get(path).status_code == 308


def test_what_a_trusted_proxy_received_over_https_is_served(https, client):
    response = client.get(
        "/oauth2/institution", REMOTE_ADDR=PROXY, headers={"x-forwarded-proto": "https"}
    )

    assert response.status_code == 200
    assert response["Strict-Transport-Security"].startswith("max-age=60")


@pytest.mark.parametrize(
    ("peer", "sent"),
    [(STRANGER, "https"), (PROXY, "http"), (PROXY, "http, https"), (PROXY, None)],
)
def test_nothing_else_makes_plain_http_count_as_https(https, client, peer, sent):
    headers = {} if sent is None else {"x-forwarded-proto": sent}

    response = client.get("/oauth2/institution", REMOTE_ADDR=peer, headers=headers)

    assert response.status_code == 308


def test_a_proxy_at_a_socket_file_is_believed_where_proxies_are(https, client):
    """It has no address, and nobody else reaches the file."""
    sent = {"REMOTE_ADDR": "", "HTTP_X_FORWARDED_PROTO": "https"}

    assert client.get("/oauth2/institution", **sent).status_code == 200
    https.SECURE_PROXY_SSL_HEADER = None  # as without TRUSTED_PROXIES
    assert client.get("/oauth2/institution", **sent).status_code == 308


def test_a_server_that_ends_tls_itself_is_served(https, client):
    https.SECURE_PROXY_SSL_HEADER = None

    assert client.get("/oauth2/institution", secure=True).status_code == 200


def test_under_an_http_public_address_nothing_is_refused(client):
    assert client.get("/oauth2/institution").status_code == 200
    assert client.get(EVENTS).status_code == 200
