"""Django behind WSGI: bodies without a length, and text that is always UTF-8.

Django reads nothing of a body that comes without ``Content-Length`` (chunked, or over
HTTP/2), so every field of JSON that a client streams would be reported as missing. Where
the server promises an end of the input (``wsgi.input_terminated``), the body is read here,
to the same limit as any other, and given the length it has.

Django reads queries and forms in the charset of the request's ``Content-Type``. That header
is not signed, so one signed query could be read in two ways; and some of Python's codecs
(``base64``, ``punycode``) raise before there is a request to answer. The parameter has no
meaning for a query or a form (URL standard, section 5), so it is ignored.
"""

from collections.abc import Iterable
from io import BytesIO, RawIOBase
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest

WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class ChunkedBodyMiddleware:
    """WSGI middleware: ``ChunkedBodyMiddleware(get_wsgi_application())``."""

    def __init__(self, application: WSGIApplication) -> None:
        self.application = application

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Measure and pass on; one byte over the limit is enough to be refused for it."""
        if (
            not environ.get("CONTENT_LENGTH")
            and environ.get("wsgi.input_terminated")
            and environ["REQUEST_METHOD"] not in WITHOUT_BODY
        ):
            limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            body = environ["wsgi.input"].read(-1 if limit is None else limit + 1)
            environ["wsgi.input"] = BytesIO(body)
            environ["CONTENT_LENGTH"] = str(len(body))
        return self.application(environ, start_response)


class _InvalidLength(RawIOBase):
    """The input of a request whose ``Content-Length`` is not a number."""

    def readable(self) -> bool:
        """Say that it is meant to be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Raise ``OSError``, as reading from a broken connection does."""
        raise OSError("Content-Length is not a number")


class Utf8Request(WSGIRequest):
    """A request whose text is in Django's default charset, UTF-8."""

    def __init__(self, environ: WSGIEnvironment) -> None:
        """Make a body of invalid length unreadable (RFC 9112 section 6.3), which is a 400.

        Django takes such a length for zero here, and raises ``ValueError`` for it later.
        """
        length = environ.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal():
            environ["CONTENT_LENGTH"], environ["wsgi.input"] = "1", _InvalidLength()
        super().__init__(environ)

    @property
    def encoding(self) -> str | None:
        """Return ``None``, which stands for the default."""
        return None

    @encoding.setter
    def encoding(self, value: str | None) -> None:
        """Ignore what the ``Content-Type`` says."""


class Utf8Handler(WSGIHandler):
    """Django's WSGI application, for such requests; ``django.setup()`` comes first."""

    request_class = Utf8Request
