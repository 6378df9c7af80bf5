"""System checks of the app's settings; each id has a test."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.utils.module_loading import import_string

from calendar_events.conf import conf


@register("calendar_events")
def check_institutions(**_kwargs: Any) -> list[CheckMessage]:
    """E001: ``INSTITUTIONS`` must be empty or the path of a function."""
    try:
        directory = import_string(conf.institutions) if conf.institutions else dict
    except ImportError as error:
        return [
            Error(f"CALENDAR_EVENTS['INSTITUTIONS']: {error}", id="calendar_events.E001")
        ]
    if callable(directory):
        return []
    problem = f"CALENDAR_EVENTS['INSTITUTIONS']: {conf.institutions} is no function."
    return [Error(problem, id="calendar_events.E001")]
