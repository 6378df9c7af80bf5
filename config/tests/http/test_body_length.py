"""A ``Content-Length`` that is no number: some servers let it pass, Django cannot read."""

from io import BytesIO
from wsgiref.util import setup_testing_defaults

import pytest

from platform_errors.http.wsgi import Utf8Handler

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"


def post(path, length):
    """Return status and body of the answer to a form."""
    begun = []
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": path,
        "HTTP_HOST": "testserver",
        "CONTENT_TYPE": FORM,
        "CONTENT_LENGTH": length,
        "wsgi.input": BytesIO(b"grant_type=x"),
    }
    setup_testing_defaults(environ)
    answer = Utf8Handler()(environ, lambda *head: begun.extend(head[:2]))
    body = b"".join(answer).decode()
    answer.close()
    return begun[0], body


@pytest.mark.parametrize("length", ["x", "-5", "1.5", "7 7"])
@pytest.mark.parametrize("path", ["/oauth2/token", "/oauth2/revoke"])
def test_a_length_that_is_no_number_is_a_bad_request(path, length):
    status, body = post(path, length)

    assert status == "400 Bad Request"
    assert "the body could not be read to its end" in body


def test_a_length_that_is_one_is_read():
    _, body = post("/oauth2/token", "12")

    assert "grant_type is not one of those supported" in body
