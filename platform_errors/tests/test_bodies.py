"""Bodies of writes: read whole and strictly, or refused with the reason (spec 7.5)."""

from io import BytesIO

import pytest

from platform_errors.tests.clients import read_error

FAILING = "/platform/failing"
JSON = "application/json"


def write(api, body, content_type="application/json", accept="application/xml", **extra):
    return api.call(
        "PUT", FAILING, accept=accept, data=body, content_type=content_type, **extra
    )


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "image/png", "x"]
)
def test_unsupported_media_type(api, accept, content_type):
    response = write(api, b"{}", content_type, accept)

    assert read_error(response).status == 415
    assert read_error(response).message == "Unsupported Media Type"


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded"]
)
def test_a_compressed_body_is_an_unsupported_media_type(api, accept, content_type):
    response = write(api, b"{}", content_type, accept, HTTP_CONTENT_ENCODING="GZIP")
    plain = write(api, b"{}", content_type, accept, HTTP_CONTENT_ENCODING="identity")

    assert read_error(response).status == 415
    assert read_error(response).detail == "the Content-Encoding GZIP is not supported"
    assert plain.status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"a": NaN}',
        b'{"a": 1}}',
        b"\xff",
        b'{"a": "\\ud800"}',
        b"[" * 100_000,
        b"'a'",
        b"\x00",
        '{"a": "é"}'.encode("latin-1"),
    ],
)
def test_malformed_json(api, accept, body):
    response = write(api, body, accept=accept)

    assert read_error(response).status == 400
    assert read_error(response).message == "Invalid HTTP Body Content"
    assert read_error(response).detail.startswith("the body is not JSON: ")


@pytest.mark.parametrize("body", [b"a=%ff", b"\xff=1", b"&".join([b"a=1"] * 2000)])
def test_bad_body_when_a_form_cannot_be_read(api, accept, body):
    response = write(api, body, "application/x-www-form-urlencoded", accept)

    assert read_error(response).status == 400
    assert read_error(response).message == "Invalid HTTP Body Content"


def test_bad_body_when_it_is_truncated(api, accept):
    sent = {"CONTENT_LENGTH": "20", "wsgi.input": BytesIO(b'{"a": 1}')}

    response = write(api, b"{}", accept=accept, **sent)

    assert read_error(response).status == 400
    assert read_error(response).detail == (
        "the body ends after 8 of the 20 bytes that were announced"
    )


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded"]
)
def test_content_too_large(api, accept, settings, content_type):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10

    response = write(api, b"[" + b"1," * 20 + b"1]", content_type, accept)

    assert read_error(response).status == 413
    assert read_error(response).message == "Content Too Large"


def test_a_body_is_read_as_json_or_as_a_form(api):
    as_json = write(
        api, '{"a": ["é", 1]}'.encode(), "application/json; charset=utf-8", accept=JSON
    )
    as_form = write(api, b"a=%C3%A9&b=1", "application/x-www-form-urlencoded", JSON)

    assert as_json.json() == {"a": ["é", 1]}
    assert as_form.json() == {"a": "é", "b": "1"}


def test_drf_s_own_parser_is_answered_alike(api):
    response = api.generic("PUT", "/platform/drf", b"{", "application/json")

    assert read_error(response).message == "Invalid HTTP Body Content"
