"""What the endpoint refuses, as a browser sees it: before any page, and never astray."""

from http import HTTPStatus

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from authserver.models import Grant, PendingRequest
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

GONE = "This request is no longer open"
REFUSED = "This app can't sign you in"


@pytest.fixture
def reports(key):
    """Services that the key had once, and one it never had."""
    factories.KeyServiceFactory(
        key=key, service__code="archive", service__name="Archive", canceled=True
    )
    factories.KeyServiceFactory(
        key=key, service__code="reports", service__name="Reports", expired=True
    )
    factories.ServiceFactory(code="billing", name="Billing")


@pytest.mark.parametrize(
    ("changes", "error", "http_code", "description"),
    [
        (
            {"scope": None},
            "invalid_scope",
            "400",
            "required parameter 'scope' is missing or blank",
        ),
        (
            {"scope": "refresh_token"},
            "invalid_scope",
            "400",
            "required parameter 'scope' is missing or blank",
        ),
        (
            {"scope": "archive directory none"},
            "invalid_scope",
            "403",
            "Invalid scope(s): archive (Archive) [Canceled], none (none) [Not on key]",
        ),
        (
            {"scope": "reports"},
            "invalid_scope",
            "403",
            "Invalid scope(s): reports (Reports) [Expired]",
        ),
        (
            {"at": "1003"},
            "access_denied_institution",
            "403",
            "clientId spa doesn't have access to contextInstitutionId 1003",
        ),
        (
            {"response_type": "token"},
            "unsupported_response_type",
            "400",
            "response_type must be code",
        ),
        (
            {"code_challenge": None},
            "invalid_request",
            "400",
            "required parameter 'code_challenge' is missing or blank",
        ),
        (
            {"code_challenge_method": "plain"},
            "invalid_request",
            "400",
            "code_challenge_method must be S256",
        ),
    ],
)
def test_a_verified_address_gets_the_refusal_before_any_page(
    visitor, address, key, reports, changes, error, http_code, description
):
    visitor.open(address(key, **changes))

    assert visitor.left_for.startswith("https://client.example/cb?")
    assert visitor.answer == {
        "error": error,
        "error_description": description,
        "http_code": http_code,
        "state": "some state/&=",
        "iss": "http://testserver",
    }
    assert not PendingRequest.objects.exists()


@pytest.mark.parametrize(
    ("changes", "http_code", "description"),
    [
        ({"status": "canceled"}, "403", "service key has been canceled"),
        ({"expires_at": timezone.now()}, "401", "service key is expired"),
    ],
)
def test_a_key_that_no_longer_works_is_told_at_its_address(
    visitor, address, key, changes, http_code, description
):
    for name, value in changes.items():
        setattr(key, name, value)
    key.save()

    visitor.open(address(key))

    assert visitor.answer["error"] == "invalid_client_id"
    assert visitor.answer["http_code"] == http_code
    assert visitor.answer["error_description"] == description


def test_an_unknown_key_is_told_at_an_address_that_some_active_key_registered(
    visitor, address, key
):
    visitor.open(address(key, client_id="nobody"))

    assert visitor.answer["error"] == "invalid_client_id"
    assert visitor.answer["http_code"] == "401"
    assert visitor.answer["error_description"] == "service key nobody is invalid"


LOCAL = [
    ({"client_id": "nobody", "redirect_uri": "https://evil.example/"}, 401, "nobody"),
    ({"client_id": "nobody", "redirect_uri": "http://127.0.0.1/callback"}, 401, "nobody"),
    ({"redirect_uri": "https://evil.example/"}, 403, "redirect_uri_mismatch"),
    ({"redirect_uri": "https://client.example/cb/"}, 403, "redirect_uri_mismatch"),
    ({"redirect_uri": "HTTPS://client.example/cb"}, 403, "redirect_uri_mismatch"),
    ({"redirect_uri": "javascript:alert(1)"}, 403, "redirect_uri_mismatch"),
    ({"redirect_uri": None}, 400, "'redirect_uri' is missing or blank"),
    ({"client_id": None}, 400, "'client_id' is missing or blank"),
    ({"client_id": "<script>x</script>", "redirect_uri": "a:b"}, 401, "<script>x</script>"),
    ({"client_id": "x\x00y", "redirect_uri": "a:b"}, 401, "invalid_client_id"),
]


@pytest.mark.parametrize(("changes", "status", "words"), LOCAL)
def test_what_is_not_verified_is_told_here_without_a_way_there(
    visitor, address, key, changes, status, words
):
    visitor.open(address(key, **changes))

    assert visitor.left_for == ""
    assert visitor.status == status
    assert visitor.heading == REFUSED
    assert words in visitor.text
    links = visitor.page.xpath("//main//a/@href")
    assert links == []
    assert not visitor.page.xpath("//main//script")
    assert "refresh" not in visitor.response.content.decode().split("<main")[0]


@pytest.mark.parametrize(
    "query",
    ["&client_id=spa", "&state=again", "&code_challenge=again", "&%ZZ", "&x=%ff", "&a&a"],
)
def test_what_can_be_read_in_two_ways_is_told_here(visitor, address, key, query):
    visitor.open(address(key) + query)

    assert visitor.status == HTTPStatus.BAD_REQUEST
    assert visitor.heading == REFUSED
    assert "invalid_request" in visitor.text


@pytest.mark.parametrize(
    "path", ["auth/nowhere", "auth/1001x", "auth/1001/more", "auth//", "auth/٣", "auth/-1"]
)
def test_a_registry_identifier_that_is_not_digits_is_no_page(visitor, path):
    visitor.open(f"/oauth2/{path}")

    assert visitor.status == HTTPStatus.NOT_FOUND
    assert visitor.heading == "There is no such page"


@pytest.mark.parametrize("path", ["auth/", "auth/1001/"])
def test_a_trailing_slash_makes_no_difference(visitor, address, key, path):
    visitor.open(address(key, endpoint="auth", at="").replace("/auth?", f"/{path}?"))

    assert visitor.heading in {"Choose your institution", "Sign in"}


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_other_methods_are_answered_with_words(visitor, address, key, method):
    response = getattr(visitor.client, method)(address(key))

    assert response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert response["Allow"] == "GET, HEAD, OPTIONS"
    assert "That is not possible at this address" in response.content.decode()


def test_every_refused_page_names_the_request(visitor, address, key):
    visitor.open(address(key, redirect_uri=None))

    assert visitor.response["x-svc-RequestId"] in visitor.text


def test_no_page_redirects_to_what_its_query_says(visitor, address, key, alice, log_in):
    for page in ("institution", "login", "access"):
        visitor.open(f"/oauth2/{page}?next=https://evil.example/&redirect_uri=https://evil")
        assert visitor.left_for == ""
    visitor.open("/oauth2/login?institution=1001&next=https://evil.example/")

    log_in()

    assert visitor.left_for == ""
    assert visitor.heading == "My account"


# The old generation's endpoint (decisions 4).


def old(address, key, **changes):
    return address(key, at="", endpoint="authorizeCode", **changes)


def test_the_old_endpoint_leads_through_the_same_pages(
    visitor, address, confidential_key, alice, log_in
):
    confidential_key.old_generation = True
    confidential_key.save()
    visitor.open(
        old(
            address,
            confidential_key,
            authenticatingInstitutionId="1001",
            contextInstitutionId="1001",
            code_challenge=None,
            code_challenge_method=None,
        )
    )

    log_in()
    visitor.press("Allow")

    assert visitor.answer["code"].startswith("auth_")
    assert Grant.objects.get().code_challenge == ""


def test_the_old_endpoint_shows_the_institution_page_for_neither(
    visitor, address, confidential_key
):
    confidential_key.old_generation = True
    confidential_key.save()

    visitor.open(old(address, confidential_key))

    assert visitor.heading == "Choose your institution"


def test_the_old_endpoint_refuses_one_institution_without_the_other(
    visitor, address, confidential_key
):
    confidential_key.old_generation = True
    confidential_key.save()

    visitor.open(old(address, confidential_key, contextInstitutionId="1001"))

    assert visitor.answer["error"] == "invalid_request"


def test_the_old_endpoint_is_closed_to_keys_of_the_new_generation(visitor, address, key):
    visitor.open(old(address, key))

    assert visitor.answer["error"] == "unauthorized_client"


# When it breaks, the application is told (RFC 6749 section 4.1.2.1).


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("failure", "error", "http_code"),
    [
        (OperationalError("database is locked"), "temporarily_unavailable", "503"),
        (RuntimeError("internal words"), "server_error", "500"),
    ],
)
def test_a_failure_is_told_to_the_application_and_not_what_it_was(
    address, key, failure, error, http_code
):
    def fail(execute, sql, *arguments):
        if sql.startswith("INSERT") and "pendingrequest" in sql:
            raise failure
        return execute(sql, *arguments)

    visitor = Visitor(raise_request_exception=False)
    with connection.execute_wrapper(fail):
        visitor.open(address(key))

    assert visitor.answer["error"] == error
    assert visitor.answer["http_code"] == http_code
    assert visitor.answer["state"] == "some state/&="
    assert str(failure) not in visitor.left_for
