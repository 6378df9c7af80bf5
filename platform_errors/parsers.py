"""Bodies of writes: JSON and forms, whole, bounded, or an error that says why.

DRF's parsers read the stream past Django's ``DATA_UPLOAD_MAX_MEMORY_SIZE``, and Python's
JSON decoder takes NaN, lone surrogates and nesting deep enough to exhaust the stack.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import orjson
from django.conf import settings
from django.http import QueryDict
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from platform_errors.errors import base, writes
from platform_errors.errors.writes import JsonError

MAX_DEPTH = 100
"""How deep JSON may nest (RFC 8259 section 9), so that no stack overflows."""
MAX_SEPARATORS = 100_000
"""How many commas and opening brackets JSON may have: each may make an object in memory."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonParser(BaseParser):
    """``application/json``, strictly (RFC 8259).

    A byte order mark is ignored, as section 8.1 permits.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value. Raises ``MalformedJson`` and what ``read_body`` raises."""
        body = read_body((parser_context or {})["request"])
        if sum(map(body.count, (b",", b"[", b"{"))) > MAX_SEPARATORS:
            raise writes.MalformedJson(
                f"the JSON has more than {MAX_SEPARATORS} commas and brackets"
            )
        try:
            value = orjson.loads(body.removeprefix(_BYTE_ORDER_MARK))
        except orjson.JSONDecodeError as error:
            raise writes.MalformedJson(
                f"the body is not JSON: {error}", json_error=_json_error(error.msg)
            ) from None
        if _is_deeper(value, MAX_DEPTH):
            raise writes.MalformedJson(
                f"the JSON nests more than {MAX_DEPTH} levels",
                json_error=writes.JSON_TOO_DEEP,
            )
        return value


def _json_error(words: str) -> JsonError:
    """Return the peer's name of what orjson found."""
    for part, error in _JSON_ERRORS.items():
        if part in words:
            return error
    return writes.JSON_SYNTAX


_JSON_ERRORS = {
    "depth limit": writes.JSON_TOO_DEEP,
    "UTF-8": writes.JSON_NOT_UTF8,
    "surrogate": writes.JSON_SURROGATE,
}


class FormParser(BaseParser):
    """``application/x-www-form-urlencoded``."""

    media_type = "application/x-www-form-urlencoded"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> QueryDict:
        """Return the fields. Raises ``BadBody`` and what ``read_body`` raises."""
        body = read_body((parser_context or {})["request"])
        try:
            pairs = parse_qsl(
                body.decode(),
                keep_blank_values=True,
                errors="strict",  # never a replacement character where a name should be
                max_num_fields=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS,
            )
        except ValueError as error:
            raise writes.BadBody(f"the form cannot be read: {error}") from None
        fields = QueryDict(mutable=True)
        for name, value in pairs:
            fields.appendlist(name, value)
        return fields


def _is_deeper(value: Any, most: int) -> bool:
    """Return whether arrays and objects nest deeper, looking at one level at a time."""
    level = [value]
    for _ in range(most + 1):
        level = [outer for outer in level if isinstance(outer, dict | list)]
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return True


def read_body(request: Request) -> bytes:
    """Return the body, all of it.

    Raises ``RequestDataTooBig`` (413) beyond Django's limit, ``BadBody`` when the caller
    sent less than it announced, ``UnsupportedMediaType`` for a compressed body (RFC 9110
    section 8.4).
    """
    coding = request.META.get("HTTP_CONTENT_ENCODING", "").strip()
    if coding.lower() not in {"", "identity"}:
        raise writes.UnsupportedMediaType(
            f"the Content-Encoding {base.echo(coding)} is not supported"
        )
    django_request = request._request  # noqa: SLF001 -- DRF's name for the request it wraps
    body = django_request.body
    announced = django_request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and len(body) < int(announced):
        raise writes.BadBody(
            f"the body ends after {len(body)} of the {announced} bytes that were announced"
        )
    return body
