"""The headers of static and uploaded files, from nginx or from Django.

The application sends these; a proxy that serves the files itself has to repeat them, for
nothing of the application runs then. ``docs/operations.md`` shows the table, and tests
compare both with what is sent.
"""

from wsgiref.headers import Headers

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of answers that are not pages: nothing is loaded, sent or framed."""

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Of every answer; elsewhere Django's ``SecurityMiddleware`` sets them."""

STATIC_FILES = {
    **ALWAYS,
    # The name of a collected file has a digest of its content.
    "Cache-Control": "max-age=315360000, public, immutable",
    "Content-Security-Policy": NOTHING,
    # Only our own pages use them.
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of ``STATIC_ROOT`` under ``/static/``."""

UPLOADED_FILES = {
    **ALWAYS,
    "Cache-Control": "public, max-age=3600",
    # Opened by itself it is a document of no origin, whatever a browser takes it for.
    "Content-Security-Policy": f"{NOTHING}; sandbox",
    # Calendars on other sites show the pictures.
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Of ``MEDIA_ROOT`` under ``/media/``."""


def for_static_file(headers: Headers, _path: str, _url: str) -> None:
    """Add what WhiteNoise does not know of (``WHITENOISE_ADD_HEADERS_FUNCTION``)."""
    name = "Cross-Origin-Resource-Policy"
    headers[name] = STATIC_FILES[name]
