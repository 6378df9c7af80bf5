"""Formatters for ``LOGGING``: a line per record, with the request identifier, redacted."""

import json
import logging
from datetime import datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from platform_errors.http.request_id import current_request_id
from platform_errors.logging.redaction import redact


class RequestIdFilter(logging.Filter):
    """Give every record a ``request_id``, empty outside of a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current_request_id()
        return True


class PlainFormatter(logging.Formatter):
    """For people: what ``logging`` writes, redacted, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """Mask the finished text, so that nothing is added after the masking."""
        return redact(super().format(record))


class StructuredFormatter(JsonFormatter):
    """For machines: one JSON object per record."""

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Drop Django's request object and mask every text before it is quoted."""
        log_data.pop("request", None)
        return {name: _masked(value) for name, value in log_data.items()}

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        """Serialise; what JSON does not know is written as its text, masked as well."""
        return json.dumps(log_data, ensure_ascii=False, default=_text)


def _masked(value: Any) -> Any:
    return redact(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else redact(str(value))
