"""Where the calendar's migrations end in this version."""

from pkgutil import iter_modules

import calendar_events.migrations

LAST = max(
    name
    for _, name, is_package in iter_modules(calendar_events.migrations.__path__)
    if not is_package
)
