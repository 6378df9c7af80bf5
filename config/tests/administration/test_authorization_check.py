"""The same page about authorization requests: refused as the server does, nothing kept."""

from urllib.parse import urlencode

import pytest

from authserver.tests import factories
from config.tests.administration.test_request_check import PAGE, key, rows

__all__ = ["key"]  # the fixture

pytestmark = pytest.mark.django_db


def ask(staff, **changes):
    values = {
        "client_id": "web",
        "redirect_uri": "https://client.example/cb",
        "response_type": "code",
        "scope": "calendar_events",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    } | changes
    path = values.pop("path", "/oauth2/auth/1001")
    sent = {name: value for name, value in values.items() if value is not None}
    address = f"http://testserver{path}?{urlencode(sent)}"
    answer = staff.post(PAGE, **{"what": "asked", "a-address": address})
    assert answer.status_code == 200
    return answer.context["answer"], answer


def test_an_authorization_request_that_is_right_is_accepted_and_not_kept(kim, key):
    before = rows()

    answer, page = ask(kim)

    assert answer.accepted.institution == "1001"
    assert "would accept this request" in page.content.decode()
    assert rows() == before


@pytest.mark.parametrize(
    ("changes", "reason", "is_told"),
    [
        ({"scope": "directory"}, "service_not_on_key", True),
        ({"code_challenge": None}, "invalid_request", True),
        ({"path": "/oauth2/auth/1002"}, "institution_not_on_key", True),
        ({"path": "/oauth2/authorizeCode"}, "unauthorized_client", True),
        ({"redirect_uri": "https://elsewhere.example/"}, "redirect_uri_mismatch", False),
        ({"redirect_uri": None}, "invalid_request", False),
        ({"client_id": None}, "invalid_request", False),
        ({"client_id": "nobody"}, "key_invalid", False),
        ({"client_id": "a\x00b"}, "key_invalid", False),
    ],
)
def test_an_authorization_request_is_refused_as_the_server_does(
    kim, key, client, changes, reason, is_told
):
    answer, page = ask(kim, **changes)

    assert answer.refused.reason == reason
    assert bool(answer.refused.location) == is_told
    assert reason in page.content.decode()


def test_an_institution_asks_about_its_own_keys_alone(ines, key, there):
    factories.ServiceKeyFactory(client_id="theirs", institutions=[there.institution])

    assert ask(ines)[0].accepted
    assert ask(ines, client_id="theirs")[0].refused.reason == "key_invalid"


@pytest.mark.parametrize("path", ["/oauth2/token", "/nowhere", "/oauth2/login"])
def test_another_address_is_no_authorization_request(kim, key, path):
    answer, page = ask(kim, path=path)

    assert (answer.accepted, answer.refused) == (None, None)
    assert "This is not the address of the authorization page." in page.content.decode()
