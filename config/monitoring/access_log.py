"""The access log: one line for each request, and nothing secret in it.

There is no path, query, header, body or address: only our own names, numbers, and the key,
institution and identifiers that the server itself has established.
"""

import logging
from datetime import UTC, datetime
from typing import Any, cast

import orjson

LOGGER = "platform.access"
logger = logging.getLogger(LOGGER)


def write(line: dict[str, Any]) -> None:
    """Write the fields of one request, in their order, if the access log is on.

    ``logger.info`` would look for the file and the line that called it, which nobody reads.
    """
    if logger.isEnabledFor(logging.INFO):
        message = "%(method)s %(route)s %(status)d"
        record = logger.makeRecord(LOGGER, logging.INFO, "", 0, message, (line,), None)
        logger.handle(record)


class JsonFormatter(logging.Formatter):
    """One JSON object; what it holds needs no masking, which costs more than the line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC)
        head = {"time": moment.isoformat(timespec="milliseconds"), "logger": record.name}
        return orjson.dumps(head | _fields(record)).decode()


class PlainFormatter(logging.Formatter):
    """For people: ``name=value`` of what there is."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = _fields(record)
        said = (f"{name}={value}" for name, value in fields.items() if value != "")
        return f"{record.levelname} access {' '.join(said)}"


def log_configuration(*, is_on: bool, formatter: str) -> dict[str, Any]:
    """Return what the access log adds to ``LOGGING``; ``formatter``: json or plain."""
    kind = JsonFormatter if formatter == "json" else PlainFormatter
    return {
        "formatters": {"access": {"()": f"{__name__}.{kind.__name__}"}},
        "handlers": {"access": {"class": "logging.StreamHandler", "formatter": "access"}},
        "loggers": {
            LOGGER: {
                "handlers": ["access"],
                "level": "INFO" if is_on else "CRITICAL",
                "propagate": False,
            }
        },
    }


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    # Of a message with one dictionary, ``logging`` keeps that as its arguments.
    return cast("dict[str, Any]", record.args)
