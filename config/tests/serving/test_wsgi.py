"""What the server object is made of."""

from config.wsgi import application
from platform_errors.http.wsgi import ChunkedBodyMiddleware, Utf8Handler


def test_bodies_are_measured_and_text_is_utf_8():
    assert isinstance(application, ChunkedBodyMiddleware)
    assert isinstance(application.application, Utf8Handler)
