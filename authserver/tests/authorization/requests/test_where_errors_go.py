"""Errors go to verified addresses only (decisions 3.2, spec 7.6)."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from authserver.tests import factories
from authserver.tests.authorization.requests.authorization_client import (
    REDIRECT,
    answer,
    assert_local,
)

pytestmark = pytest.mark.django_db


def test_an_unknown_key_is_not_redirected_to_an_unverified_address(ask):
    refusal = ask(client_id="nope", redirect_uri="https://evil.example/")

    assert_local(refusal, "invalid_client_id", 401)
    assert refusal.description == "service key nope is invalid"


def test_an_unknown_key_is_redirected_to_an_https_address_of_an_active_key(ask):
    assert answer(ask(client_id="nope")) == {
        "error": "invalid_client_id",
        "error_description": "service key nope is invalid",
        "http_code": "401",
        "state": "xyz",
        "iss": "http://testserver",
    }


@pytest.mark.parametrize("traits", [{"canceled": True}, {"expired": True}])
def test_an_unknown_key_is_not_redirected_to_an_address_of_a_dead_key(ask, traits):
    factories.ServiceKeyFactory(redirect_uris="https://dead.example/cb", **traits)

    assert_local(
        ask(client_id="nope", redirect_uri="https://dead.example/cb"),
        "invalid_client_id",
        401,
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/cb",
        "app.example:/cb",
        REDIRECT + "/",
        REDIRECT[:-1],
        REDIRECT.upper(),
    ],
)
def test_an_unknown_key_is_redirected_to_that_very_https_address_only(ask, address):
    factories.ServiceKeyFactory(redirect_uris="http://127.0.0.1/cb app.example:/cb")

    assert_local(ask(client_id="nope", redirect_uri=address), "invalid_client_id", 401)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/cb",
        "https://client.example/cb/",
        "https://client.example/cb?x=1",
        "https://client.example/cb#f",
        "https://CLIENT.example/cb",
        "HTTPS://client.example/cb",
        "https://client.example:443/cb",
        "https://client.example/%63b",
        "https://user@client.example/cb",
        "https://client.example/cb https://client.example/cb",
        "//client.example/cb",
        "javascript:alert(1)",
        "\x00",
    ],
)
def test_an_address_that_is_not_registered_gets_nothing(ask, address):
    assert_local(ask(redirect_uri=address), "redirect_uri_mismatch", 403)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
@pytest.mark.parametrize("value", [None, ""])
def test_without_client_or_address_there_is_a_local_page(ask, name, value):
    refusal = ask(**{name: value})

    assert_local(refusal, "invalid_request", 400)
    assert refusal.description == f"required parameter '{name}' is missing or blank"


@pytest.mark.parametrize(
    "name",
    [
        "client_id",
        "redirect_uri",
        "response_type",
        "scope",
        "state",
        "code_challenge",
        "code_challenge_method",
        "unknown",
    ],
)
def test_a_repeated_parameter_is_a_local_page(ask, name):
    assert_local(ask(f"&{name}=1&{name}=1"), "invalid_request", 400)


@pytest.mark.parametrize("raw", ["&x=%ZZ", "&x=%", "&x=%ff", "&x=\xff", "&%c3=1"])
def test_a_query_that_cannot_be_decoded_is_a_local_page(ask, raw):
    assert_local(ask(raw), "invalid_request", 400)


def test_a_flood_of_parameters_is_a_local_page(ask):
    assert_local(ask("".join(f"&p{n}=1" for n in range(200))), "invalid_request", 400)


def test_an_expired_key_is_redirected(ask, key):
    key.expires_at = timezone.now() - timedelta(seconds=1)
    key.save()

    assert answer(ask()) == {
        "error": "invalid_client_id",
        "error_description": "service key is expired",
        "http_code": "401",
        "state": "xyz",
        "iss": "http://testserver",
    }


def test_a_canceled_key_is_redirected(ask, key):
    key.status = key.Status.CANCELED
    key.save()

    assert answer(ask()) == {
        "error": "invalid_client_id",
        "error_description": "service key has been canceled",
        "http_code": "403",
        "state": "xyz",
        "iss": "http://testserver",
    }


ALLOWED = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]+")  # RFC 6749 section 4.1.2.1


@pytest.mark.parametrize("client_id", ['a"b', "a\\b", "\xe9\\", "a\x7fb", "a\nb", "\u202e"])
def test_a_redirected_description_has_the_characters_that_oauth_allows(ask, client_id):
    refusal = ask(client_id=client_id)

    assert ALLOWED.fullmatch(answer(refusal)["error_description"])
    assert refusal.description == f"service key {client_id} is invalid"


def test_a_redirected_description_replaces_as_the_token_endpoint_does(ask):
    reply = answer(ask(client_id='\xe9\\"'))

    assert reply["error_description"] == "service key ?/' is invalid"
