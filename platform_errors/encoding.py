"""Queries and forms are UTF-8, whatever charset a request names.

Django reads them in the charset of the request's ``Content-Type``. That header is not
signed, so one signed query could be read in two ways; and some of Python's codecs
(``base64``, ``punycode``) raise before there is a request to answer. The parameter has no
meaning for a query or a form (URL standard, section 5), so it is ignored.
"""

from __future__ import annotations

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


class Utf8Request(WSGIRequest):
    """A request whose text is in Django's default charset, UTF-8."""

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
