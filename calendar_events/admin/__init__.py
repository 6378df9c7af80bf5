"""Django admin of the calendar, for administrators of the platform; a module per noun."""

from calendar_events.admin import images, internals, records, terms

__all__ = ["images", "internals", "records", "terms"]
