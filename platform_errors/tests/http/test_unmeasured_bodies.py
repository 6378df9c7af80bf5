"""A body without ``Content-Length`` is read all the same, up to the limit."""

from io import BytesIO
from wsgiref.util import setup_testing_defaults

import pytest
from django.core.handlers.wsgi import WSGIHandler

from platform_errors.http.wsgi import ChunkedBodyMiddleware

# Django looks after its connections at the start of every request.
pytestmark = pytest.mark.django_db


def put(body, **changes):
    """Call the probe as a server would; return status and body."""
    environ = {
        "REQUEST_METHOD": "PUT",
        "PATH_INFO": "/platform/failing",
        "HTTP_HOST": "testserver",
        "HTTP_ACCEPT": "application/json",
        "CONTENT_TYPE": "application/json",
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
        **changes,
    }
    setup_testing_defaults(environ)
    answer = {}

    def start_response(status, headers, exc_info=None):
        answer["status"] = int(status.split()[0])

    chunks = ChunkedBodyMiddleware(WSGIHandler())(environ, start_response)
    return answer["status"], b"".join(chunks)


def test_a_body_without_length_is_read():
    assert put(b'{"a":1}') == (200, b'{"a":1}')


@pytest.mark.parametrize("limit", [None, 7])
def test_a_body_up_to_the_limit_is_read(settings, limit):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = limit

    assert put(b'{"a":1}') == (200, b'{"a":1}')


def test_a_body_beyond_the_limit_is_refused(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 6

    assert put(b'{"a":1}')[0] == 413


@pytest.mark.parametrize(
    "changes",
    [
        {"wsgi.input_terminated": False},
        {"CONTENT_LENGTH": "7"},
        {"REQUEST_METHOD": "GET"},
    ],
    ids=["no promised end", "measured already", "no body expected"],
)
def test_the_input_is_left_alone(changes):
    seen = {}
    given = BytesIO(b'{"a":1}')
    environ = {
        "REQUEST_METHOD": "POST",
        "wsgi.input": given,
        "wsgi.input_terminated": True,
        **changes,
    }

    ChunkedBodyMiddleware(lambda environ, start_response: seen.update(environ) or [])(
        environ, None
    )

    assert seen["wsgi.input"] is given
    assert given.tell() == 0
