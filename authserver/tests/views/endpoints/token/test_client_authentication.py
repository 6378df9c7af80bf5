"""Who may call the token endpoint (decisions 4, RFC 6749 section 2.3)."""

import pytest
from django.utils import timezone

from authserver.tests.oauth_client import (
    assert_error,
    basic,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_an_unknown_key_is_invalid(token, code_request):
    response = token.query(**code_request(client_id="nope"))

    assert_error(response, 401, "invalid_client", "service key nope is invalid")
    assert response["WWW-Authenticate"] == 'Bearer realm="http://testserver"'


def test_a_canceled_key_is_refused(token, code_request, public):
    asked = code_request()
    type(public).objects.update(status="canceled")

    assert_error(
        token.query(**asked), 403, "invalid_client", "service key has been canceled"
    )


def test_an_expired_key_is_refused(token, code_request, public):
    asked = code_request()
    type(public).objects.update(expires_at=timezone.now())

    assert_error(token.query(**asked), 401, "invalid_client", "service key is expired")


def test_a_key_with_a_secret_must_authenticate(token, code_request, confidential):
    assert_error(
        token.query(**code_request(confidential)),
        401,
        "invalid_client",
        "service key web is invalid",
    )


@pytest.mark.parametrize("form", ["query", "form"])
def test_basic_authenticates(token, code_request, confidential, form):
    send = getattr(token, form)

    response = send(
        headers={"authorization": basic("web", "web-secret")}, **code_request(confidential)
    )

    assert response.status_code == 200


def test_client_id_may_be_left_to_basic(token, code_request, confidential):
    asked = code_request(confidential, client_id=None)

    response = token.form(headers={"authorization": basic("web", "web-secret")}, **asked)

    assert response.status_code == 200


def test_the_secret_in_the_form_body_authenticates(token, code_request, confidential):
    response = token.form(client_secret="web-secret", **code_request(confidential))

    assert response.status_code == 200


def test_both_secrets_of_a_rotation_authenticate(token, code_request, confidential):
    new = confidential.rotate_secret(now=timezone.now())
    confidential.save()

    for secret in (new, "web-secret"):
        asked = code_request(confidential)
        assert token.form(client_secret=secret, **asked).status_code == 200


@pytest.mark.parametrize("secret", ["wrong", "web-secre", "WEB-SECRET", "é", "x" * 5000])
def test_a_wrong_secret_is_refused_and_answered_in_its_scheme(
    token, code_request, confidential, secret
):
    by_header = token.form(
        headers={"authorization": basic("web", secret)}, **code_request(confidential)
    )
    by_body = token.form(client_secret=secret, **code_request(confidential))

    for response in (by_header, by_body):
        assert_error(response, 401, "invalid_client", "service key web is invalid")
        assert secret not in response.content.decode()
    assert by_header["WWW-Authenticate"].startswith('Basic realm="http://testserver"')
    assert by_body["WWW-Authenticate"].startswith("Bearer ")


def test_a_public_key_must_not_send_a_secret(token, code_request):
    assert_error(token.form(client_secret="x", **code_request()), 401, "invalid_client")


def test_a_public_key_may_say_its_name_with_an_empty_basic_password(token, code_request):
    response = token.form(headers={"authorization": basic("spa", "")}, **code_request())

    assert response.status_code == 200


def test_basic_and_client_id_must_agree(token, code_request, confidential):
    response = token.form(
        headers={"authorization": basic("web", "web-secret")},
        **code_request(confidential, client_id="spa"),
    )

    assert_error(response, 400, "invalid_request")


def test_two_ways_to_authenticate_are_refused(token, code_request, confidential):
    response = token.form(
        headers={"authorization": basic("web", "web-secret")},
        client_secret="web-secret",
        **code_request(confidential),
    )

    assert_error(response, 400, "invalid_request")


@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic !!!",
        "Basic bm9jb2xvbg==",
        "Basic /w==",
        "Bearer tk_x",
        "Digest x",
        "Basic YTpi, Bearer x",
    ],
)
def test_an_authorization_header_that_cannot_be_used_is_401(token, code_request, header):
    response = token.form(headers={"authorization": header}, **code_request())

    assert_error(response, 401, "invalid_client")
