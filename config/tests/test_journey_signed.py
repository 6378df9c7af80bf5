"""Signed requests from outside: what ``sign_request`` prints works, refusals are told."""

import time

import lxml.etree
import pytest

from config.tests.signer import ALICE, signed

pytestmark = pytest.mark.processes

NS = "{http://platform.example/xmlschemas/response}"


def xml(response):
    """Return (code, message, detail) of an error document."""
    root = lxml.etree.fromstring(response.content)
    assert root.tag == f"{NS}error"
    return tuple(root.findtext(f"{NS}{name}") for name in ("code", "message", "detail"))


def test_what_sign_request_prints_is_a_header_that_works(server):
    header = server.manage("sign_request", "GET", server.identity, "--key", "demo-hmac")
    name, _, value = header.partition(": ")

    response = server.http.get(
        server.identity,
        headers={"Authorization": value, "Accept": "application/json"},
    )

    assert name == "Authorization"
    assert response.status_code == 200
    assert response.json()["clientId"] == "demo-hmac"
    assert response.json()["contextInstitutionId"] == "1001"


def test_a_signed_request_lists_creates_and_reads_an_event(server):
    url = f"{server.events_root}/events"
    user = {"principalID": ALICE, "principalIDNS": "urn:platform:1001"}
    event = {
        "title": "Made with a signature",
        "start_date": "tomorrow 10:00",
        "end_date": "tomorrow 11:00",
    }

    listed = server.http.get(url, headers=signed("GET", url))
    created = server.http.post(url, json=event, headers=signed("POST", url, **user))
    location = created.headers["Location"]
    read = server.http.get(location, headers=signed("GET", location))

    assert listed.status_code == 200
    assert created.status_code == 201
    assert read.json()["title"] == "Made with a signature"


def test_the_identity_service_answers_in_the_contracts_xml(server):
    response = server.http.get(server.identity, headers=signed("GET", server.identity))

    root = lxml.etree.fromstring(response.content)
    assert response.headers["Content-Type"] == "application/xml; charset=utf-8"
    assert root.tag == f"{NS}identity"
    assert [child.tag for child in root] == [
        f"{NS}{name}"
        for name in (
            "clientId",
            "services",
            "contextInstitutionId",
            "institutions",
            "principalID",
            "principalIDNS",
            "serverTime",
        )
    ]


# Every row of spec 7.1 that a signed or bearer call can reach, in XML and in JSON.


def test_7_1_an_unknown_key(server):
    response = server.http.get(
        server.identity, headers=signed("GET", server.identity, key="nobody")
    )

    assert response.status_code == 401
    assert xml(response)[:2] == ("401", "service key nobody is invalid")
    assert response.headers["WWW-Authenticate"] == f'Bearer realm="{server.url}"'


def test_7_1_an_expired_key(server):
    response = server.http.get(
        server.identity, headers=signed("GET", server.identity, key="demo-expired")
    )

    assert response.status_code == 401
    assert xml(response)[:2] == ("401", "service key is expired")


def test_7_1_a_canceled_key(server):
    response = server.http.get(
        server.identity, headers=signed("GET", server.identity, key="demo-canceled")
    )

    assert response.status_code == 403
    assert xml(response)[:2] == ("403", "service key has been canceled")


def test_7_1_a_wrong_signature(server):
    headers = signed("GET", server.identity, secret="another secret")
    sent = headers["Authorization"].split('signature="')[1].split('"')[0]

    response = server.http.get(server.identity, headers=headers)

    assert response.status_code == 401
    assert xml(response)[:2] == ("401", f"request has invalid signature ({sent})")


def test_7_1_a_timestamp_outside_the_window(server):
    response = server.http.get(
        server.identity, headers=signed("GET", server.identity, timestamp=1386968102)
    )

    code, message, _ = xml(response)
    assert (response.status_code, code) == (401, "401")
    start = "timestamp in request(1386968102) is not valid; current time on server is "
    assert message.startswith(start)
    assert abs(int(message.removeprefix(start)) - time.time()) < 120


def test_a_repeated_nonce(server):
    headers = signed("GET", server.identity)

    first = server.http.get(server.identity, headers=headers)
    second = server.http.get(server.identity, headers=headers)

    assert first.status_code == 200
    assert second.status_code == 401
    assert xml(second)[1] == "nonce in request is not unique"


@pytest.mark.parametrize(
    ("key", "status", "message"),
    [
        ("nobody", 401, "service key nobody is invalid"),
        ("demo-expired", 401, "service key is expired"),
        ("demo-canceled", 403, "service key has been canceled"),
        (
            "demo-lapsed",
            403,
            "Invalid scope(s): calendar_events (Calendar Events) [Canceled]",
        ),
        (
            "demo-lapsed2",
            403,
            "Invalid scope(s): calendar_events (Calendar Events) [Expired]",
        ),
    ],
)
def test_the_events_interface_tells_the_same_refusals_in_json(server, key, status, message):
    url = f"{server.events_root}/events"

    response = server.http.get(url, headers=signed("GET", url, key=key))

    assert response.status_code == status
    assert response.json()["message"] == message
    assert response.json()["data"]["status"] == status


def test_7_2_an_institution_that_is_not_on_the_key(server):
    url = f"{server.events_root}/events?contextInstitutionId=1003"

    response = server.http.get(url, headers=signed("GET", url))

    assert response.status_code == 403
    assert response.json()["message"] == (
        "clientId demo-hmac doesn't have access to contextInstitutionId 1003"
    )


def test_7_3_a_user_who_is_disabled(server):
    url = f"{server.events_root}/events"
    dora = {"principalID": ALICE[:-1] + "4", "principalIDNS": "urn:platform:1001"}

    response = server.http.get(url, headers=signed("GET", url, **dora))

    assert response.status_code == 403
    assert response.json()["message"] == "Invalid user"


def test_7_3_a_user_without_the_permission(server):
    url = f"{server.events_root}/events"
    bob = {"principalID": ALICE[:-1] + "2", "principalIDNS": "urn:platform:1001"}

    response = server.http.post(url, json={}, headers=signed("POST", url, **bob))

    assert response.status_code == 403
    assert response.json()["message"] == "Missing permission"
