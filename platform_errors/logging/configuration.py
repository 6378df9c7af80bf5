"""``LOGGING`` for a project: one line for each record, redacted, on standard error."""

from typing import Any

FORMATTERS = {
    "plain": {
        "()": "platform_errors.logging.formatters.PlainFormatter",
        "format": "{levelname} {name} {message} [{request_id}]",
        "style": "{",
    },
    "json": {
        "()": "platform_errors.logging.formatters.StructuredFormatter",
        "format": "{levelname}{name}{message}{request_id}",
        "style": "{",
        "timestamp": "time",
        "rename_fields": {"levelname": "level", "name": "logger"},
    },
}


def log_configuration(level: str, *, formatter: str) -> dict[str, Any]:
    """Return the dictionary; ``formatter`` is ``plain``, for people, or ``json``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "request_id": {"()": "platform_errors.logging.formatters.RequestIdFilter"}
        },
        "formatters": FORMATTERS,
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "filters": ["request_id"],
                "formatter": formatter,
            }
        },
        # Django's own handlers would write everything twice, and unmasked.
        "loggers": {
            # At DEBUG it writes statements with their values.
            "django": {"handlers": [], "level": "INFO" if level == "DEBUG" else level},
            "django.server": {"handlers": [], "propagate": True},
            # Scanners could fill the log with tracebacks; the 400 is
            # logged.
            **{
                f"django.security.{refused}": {"level": "CRITICAL"}
                for refused in ("DisallowedHost", "RequestDataTooBig", "TooManyFieldsSent")
            },
            "oauthlib": {"level": "INFO"},  # at DEBUG it writes tokens
        },
        "root": {"handlers": ["console"], "level": level},
    }
