"""``manage.py sign_request`` prints a header that the server accepts."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from platform_errors.tests.factories import (
    NAMESPACE,
    OTHER_INSTITUTION,
    PRINCIPAL_ID,
    make_key,
    make_principal,
    make_wide_key,
)

URL = "http://testserver/platform/probe?q=a+b&r=%C3%A9"


def sign(*arguments):
    output = StringIO()
    call_command("sign_request", *arguments, stdout=output)
    return output.getvalue().strip()


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET", "get"])
def test_the_header_is_accepted(api, method):
    make_key()
    make_principal()
    line = sign(method, URL, "--key", "key", "--principal", PRINCIPAL_ID)

    response = api.call(
        "GET",
        URL.removeprefix("http://testserver"),
        line.removeprefix("Authorization: "),
        accept="application/json",
    )

    assert response.json() == {"user": PRINCIPAL_ID}


def test_timestamp_and_nonce_can_be_given():
    make_key()

    line = sign("GET", URL, "--key", "key", "--timestamp", "17", "--nonce", "n")

    assert re.fullmatch(
        "Authorization: http://platform.example/hmac/v2/v1 "
        'clientId="key", timestamp="17", nonce="n", signature="[A-Za-z0-9+/]{43}="',
        line,
    )


@pytest.mark.parametrize(
    ("client_id", "url", "arguments", "namespace"),
    [
        ("key", URL, [], NAMESPACE),
        (
            "wide",
            f"{URL}&contextInstitutionId={OTHER_INSTITUTION}",
            [],
            f"urn:platform:{OTHER_INSTITUTION}",
        ),
        ("wide", URL, ["--principal-ns", "urn:x"], "urn:x"),
    ],
)
def test_the_namespace_follows_from_the_institution(client_id, url, arguments, namespace):
    make_key()
    make_wide_key()

    line = sign("GET", url, "--key", client_id, "--principal", "p", *arguments)

    assert line.endswith(f'principalID="p", principalIDNS="{namespace}"')


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["GET", URL, "--key", "nobody"], "There is no service key nobody."),
        (["GET", URL, "--key", "mute"], "Service key mute has no secret to sign with."),
        (["GET", URL, "--key", "wide", "--principal", "p"], "The key has several"),
        (["GET", "/x?a=%", "--key", "wide"], "the query string has a %"),
        (["G T", "/x", "--key", "wide"], "the method is not an HTTP token"),
        (["GET", "/x", "--key", "wide", "--nonce", "a\nb"], "a signed part contains"),
    ],
)
def test_what_cannot_be_signed_is_said_clearly(arguments, why):
    make_key("mute", secrets=())
    make_wide_key()

    with pytest.raises(CommandError, match=re.escape(why)):
        sign(*arguments)
