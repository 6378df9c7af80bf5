"""From the authorization endpoint to a call, over HTTP, against a served demonstration."""

import datetime as dt
import re

import httpx
import pytest

from config.tests.people import CALLBACK, Person, Pkce, authorization_address, code_exchange

pytestmark = pytest.mark.processes


@pytest.fixture
def pkce():
    return Pkce()


@pytest.fixture
def alice(server):
    with Person(server.url) as person:
        yield person


def redeem(server, code, pkce, **changes):
    """Redeem a code in the spec's form: everything in the query, nothing in the body."""
    return server.http.post(
        f"{server.auth_url}/token",
        params=code_exchange(code, pkce, **changes),
        headers={"Accept": "application/json"},
    )


def allow(person, server, pkce, **changes):
    """Log in as alice at 1001, allow, and return the redirect's parameters."""
    person.open(authorization_address(server, pkce, institution="1001", **changes))
    person.fill(username="alice", password="alice-demo-pass")
    person.fill("decision=allow")
    return person.answer


def test_a_user_logs_in_allows_and_the_application_gets_a_token_and_events(
    server, alice, pkce
):
    # Given an application that sends its user to the authorization endpoint
    alice.open(authorization_address(server, pkce, institution="1001"))
    assert "Riverside University" in alice.text

    # When the user logs in and allows
    alice.fill(username="alice", password="alice-demo-pass")
    assert "Calendar Events" in alice.text
    alice.fill("decision=allow")

    # Then the browser is back at the application, with a code and the unchanged state
    assert alice.left_for.startswith(f"{CALLBACK}?")
    assert alice.answer["state"] == "some state/&="
    assert alice.answer["iss"] == server.url
    assert alice.answer["code"].startswith("auth_")

    # And the code buys a token of the documented form
    response = redeem(server, alice.answer["code"], pkce)
    token = response.json()
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert set(token) == {
        "access_token",
        "token_type",
        "expires_in",
        "expires_at",
        "scope",
        "scopes",
        "contextInstitutionId",
        "principalID",
        "principalIDNS",
    }
    assert token["access_token"].startswith("tk_")
    assert token["token_type"] == "bearer"
    assert token["expires_in"] in {"1200", "1199"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", token["expires_at"])
    assert token["scopes"] == "calendar_events"
    assert token["contextInstitutionId"] == "1001"
    assert token["principalID"] == "00000000-0000-4000-8000-000000000001"
    assert token["principalIDNS"] == "urn:platform:1001"

    # And the token lists, creates and reads events
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    listed = server.http.get(f"{server.events_root}/events", headers=bearer)
    assert listed.status_code == 200
    assert listed.json()["total"] > 0
    created = server.http.post(
        f"{server.events_root}/events",
        headers=bearer,
        json={
            "title": "Made with a token",
            "start_date": "tomorrow 16:00",
            "end_date": "tomorrow 17:00",
        },
    )
    assert created.status_code == 201
    read = server.http.get(created.headers["Location"])
    assert read.json()["title"] == "Made with a token"


def test_without_an_institution_the_user_chooses_one_first(server, alice, pkce):
    alice.open(authorization_address(server, pkce))

    assert "Riverside University" in alice.text
    assert "Northgate Public Library" in alice.text
    assert "Lakeview College" not in alice.text  # on no key

    alice.fill("institution=1001")
    alice.fill(username="alice", password="alice-demo-pass").fill("decision=allow")

    token = redeem(server, alice.answer["code"], pkce).json()
    assert token["contextInstitutionId"] == "1001"


def test_denying_sends_the_application_the_error_parameters_of_7_6(server, alice, pkce):
    alice.open(authorization_address(server, pkce, institution="1001"))
    alice.fill(username="alice", password="alice-demo-pass")
    alice.fill("decision=deny")

    assert alice.left_for.startswith(f"{CALLBACK}?")
    assert alice.answer["error"] == "access_denied"
    assert alice.answer["http_code"] == "403"
    assert alice.answer["state"] == "some state/&="
    assert alice.answer["iss"] == server.url
    assert alice.answer["error_description"]


def test_a_code_is_redeemed_once_and_a_replay_kills_its_token(server, alice, pkce):
    code = allow(alice, server, pkce)["code"]
    token = redeem(server, code, pkce).json()["access_token"]

    replay = redeem(server, code, pkce)
    after = server.http.get(
        f"{server.events_root}/events", headers={"Authorization": f"Bearer {token}"}
    )

    assert replay.status_code == 400
    assert replay.json()["error"] == "invalid_grant"
    assert after.status_code == 401
    assert after.json()["message"] == "access token is invalid"


def test_a_standard_client_may_send_a_form_body(server, alice, pkce):
    code = allow(alice, server, pkce)["code"]

    response = server.http.post(
        f"{server.auth_url}/token",
        data=code_exchange(code, pkce),
    )

    assert response.status_code == 200
    assert response.json()["scope"] == "calendar_events"


def test_a_wrong_verifier_gets_nothing(server, alice, pkce):
    code = allow(alice, server, pkce)["code"]

    response = redeem(server, code, Pkce())

    assert response.status_code == 400
    assert response.json()["error"] == "invalid_grant"


def test_a_refresh_token_rotates_and_its_reuse_kills_the_family(server, alice, pkce):
    code = allow(alice, server, pkce, scope="calendar_events refresh_token")["code"]
    first = redeem(server, code, pkce).json()

    def refresh(token):
        return server.http.post(
            f"{server.auth_url}/token",
            data={
                "grant_type": "refresh_token",
                "refresh_token": token,
                "client_id": "demo-spa",
            },
        )

    second = refresh(first["refresh_token"]).json()
    reuse = refresh(first["refresh_token"])
    after = refresh(second["refresh_token"])

    assert second["refresh_token"] != first["refresh_token"]
    assert reuse.json()["error"] == "invalid_grant"
    assert after.json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("changes", "error", "http_code", "description"),
    [
        (
            {"client_id": "demo-spa", "scope": ""},
            "invalid_scope",
            "400",
            "required parameter 'scope' is missing or blank",
        ),
        (
            {"scope": "billing"},
            "invalid_scope",
            "403",
            "Invalid scope(s): billing (Billing) [Not on key]",
        ),
        (
            {"scope": "archive reports"},
            "invalid_scope",
            "403",
            "Invalid scope(s): archive (Archive) [Canceled], reports (Reports) [Expired]",
        ),
        (
            {"client_id": "demo-expired"},
            "invalid_client_id",
            "401",
            "service key is expired",
        ),
        (
            {"client_id": "demo-canceled"},
            "invalid_client_id",
            "403",
            "service key has been canceled",
        ),
    ],
)
def test_a_refused_request_goes_back_to_the_registered_address(
    server, alice, pkce, changes, error, http_code, description
):
    alice.open(authorization_address(server, pkce, institution="1001", **changes))

    assert alice.left_for.startswith(f"{CALLBACK}?")
    assert alice.answer["error"] == error
    assert alice.answer["http_code"] == http_code
    assert alice.answer["error_description"] == description
    assert alice.answer["state"] == "some state/&="


def test_an_unknown_key_with_an_unverified_address_is_told_on_a_page_of_ours(
    server, alice, pkce
):
    alice.open(
        authorization_address(
            server, pkce, client_id="nobody", redirect_uri="https://evil.example/"
        )
    )

    assert alice.left_for == ""
    assert alice.page.status_code == 401
    assert "service key nobody is invalid" in alice.text
    assert "evil.example" not in {
        httpx.URL(link).host for link in alice.document.xpath("//a/@href")
    }


def test_a_redirect_address_that_is_not_registered_is_told_on_a_page_of_ours(
    server, alice, pkce
):
    alice.open(authorization_address(server, pkce, redirect_uri="https://evil.example/"))

    assert alice.left_for == ""
    assert alice.page.status_code == 403
    assert "redirect_uri_mismatch" in alice.text


def test_the_token_of_a_user_who_logs_in_elsewhere_is_for_that_institution(
    server, alice, pkce
):
    # Given alice, logged in at 1001
    allow(alice, server, pkce)

    # When an application asks for 1002
    alice.open(authorization_address(server, pkce, institution="1002"))

    # Then nobody is logged in there
    assert "password" in {field.get("name") for field in alice.document.xpath("//input")}
    alice.fill(username="carol", password="carol-demo-pass").fill("decision=allow")
    token = redeem(server, alice.answer["code"], pkce).json()
    assert token["contextInstitutionId"] == "1002"


def test_expires_at_is_when_expires_in_says(server, alice, pkce):
    before = dt.datetime.now(dt.UTC)

    token = redeem(server, allow(alice, server, pkce)["code"], pkce).json()

    moment = dt.datetime.strptime(token["expires_at"], "%Y-%m-%d %H:%M:%SZ")
    seconds = (moment.replace(tzinfo=dt.UTC) - before).total_seconds()
    assert seconds == pytest.approx(int(token["expires_in"]), abs=120)
