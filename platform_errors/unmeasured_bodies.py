"""Bodies that come without ``Content-Length``: chunked, or over HTTP/2.

Django reads nothing of them, so a client that streams its JSON would be told that every
field is missing. Where the server promises an end of the input (``wsgi.input_terminated``),
the body is read here, to the same limit as any other, and given the length it has.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class MeasureBodies:
    """A WSGI application around another: ``MeasureBodies(get_wsgi_application())``."""

    def __init__(self, application: WSGIApplication) -> None:
        """Keep the application."""
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
