"""The charset of a ``Content-Type`` changes nothing and breaks nothing."""

from io import BytesIO
from wsgiref.util import setup_testing_defaults

import pytest

from platform_errors.http.wsgi import Utf8Handler, Utf8Request

CHARSETS = [
    *("utf-8", "latin-1", "utf-7", "utf-16", "no-such-charset", ""),
    # Codecs of Python that are no charsets, or raise what nobody expects.
    *("base64", "rot13", "idna", "punycode", "undefined", "unicode_escape"),
]


def environ(query, content_type, body=b"", **changes):
    made = {
        "REQUEST_METHOD": "POST" if body else "GET",
        "PATH_INFO": "/platform/failing",
        "QUERY_STRING": query,
        "HTTP_HOST": "testserver",
        "HTTP_ACCEPT": "application/json",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        **changes,
    }
    setup_testing_defaults(made)
    return made


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_query_is_read_as_utf_8(charset):
    query = "a=%C3%A9&b=%2BAGE-&c=\xc3\xa9"  # raw bytes come as Latin-1 (PEP 3333)

    request = Utf8Request(environ(query, f"text/plain; charset={charset}"))

    assert request.GET.dict() == {"a": "é", "b": "+AGE-", "c": "é"}
    assert request.encoding is None


FORMS = {
    "application/x-www-form-urlencoded": b"a=%C3%A9",
    "multipart/form-data; boundary=x": (
        b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xc3\xa9\r\n--x--\r\n'
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("content_type", FORMS)
def test_a_form_is_read_as_utf_8(content_type, charset):
    body = FORMS[content_type]

    request = Utf8Request(environ("", f"{content_type}; charset={charset}", body))

    assert request.POST.dict() == {"a": "é"}


@pytest.mark.django_db
@pytest.mark.parametrize("charset", CHARSETS)
def test_any_charset_gets_an_answer(charset):
    statuses = []

    Utf8Handler()(
        environ("q=%FF&r=1", f"text/plain; charset={charset}", PATH_INFO="/platform/probe"),
        lambda status, headers, exc_info=None: statuses.append(status),
    )

    assert statuses == ["200 OK"]
