"""The request identifier: accepted from those in front, else made; on every answer."""

import uuid

import pytest
from django.contrib.staticfiles import finders
from django.core.signals import request_finished

from platform_errors.http.client_address import is_trusted
from platform_errors.http.request_id import current_request_id

HEADER = "x-svc-RequestId"
SENT = "3d5c0d9e-5a3a-4f0a-9a39-55a9f7d1a7c1"


def sent(identifier, address="10.1.2.3"):
    return {"HTTP_X_SVC_REQUESTID": identifier, "REMOTE_ADDR": address}


@pytest.mark.parametrize(
    "path",
    ["/platform/probe", "/platform/closed", "/platform/broken", "/broken", "/nowhere"],
)
def test_every_answer_carries_an_identifier_of_its_own(api, path):
    identifiers = [api.call("GET", path, accept=None)[HEADER] for _ in "ab"]

    assert identifiers[0] != identifiers[1]
    assert [uuid.UUID(identifier).version for identifier in identifiers] == [4, 4]


@pytest.mark.django_db  # closing the answer ends the request, which looks after connections
def test_a_static_file_carries_one_too(api, settings):
    assert finders.find("drf_spectacular_sidecar/README.md") is None
    name = "rest_framework/css/default.css"
    assert finders.find(name)

    response = api.call("GET", f"/static/{name}", accept=None)

    assert response.status_code == 200
    assert response[HEADER]
    response.close()


def test_the_header_has_the_configured_name(api, change):
    change(REQUEST_ID_HEADER="X-Vendor-RequestId")

    response = api.call("GET", "/platform/probe", accept=None)

    assert response["X-Vendor-RequestId"]
    assert HEADER not in response


@pytest.mark.parametrize(
    ("identifier", "address", "is_kept"),
    [
        (SENT, "10.1.2.3", True),
        ("trace.id_01-A", "10.1.2.3", True),
        (SENT, "192.0.2.1", False),
        (SENT, "", False),
        (SENT, "fd00::1", True),
        (SENT, "::ffff:10.1.2.3", True),
        ("short", "10.1.2.3", False),
        ("a" * 129, "10.1.2.3", False),
        ("with space 1", "10.1.2.3", False),
        ("line\nfeed-1234", "10.1.2.3", False),
        ("<script>1234", "10.1.2.3", False),
        ("", "10.1.2.3", False),
    ],
)
def test_an_identifier_is_believed_from_a_trusted_proxy_when_well_formed(
    api, change, identifier, address, is_kept
):
    change(TRUSTED_PROXIES=("10.0.0.0/8", "fd00::/8"))

    response = api.call("GET", "/platform/probe", **sent(identifier, address), accept=None)

    assert (response[HEADER] == identifier) == is_kept


def test_nobody_is_trusted_by_default():
    assert not is_trusted("127.0.0.1")


@pytest.mark.django_db
def test_the_identifier_is_forgotten_when_the_request_is_over(api):
    api.call("GET", "/platform/probe")

    request_finished.send(None)

    assert current_request_id() == ""
