"""iCalendar feeds (RFC 5545): every event of a list, streamed as it is read."""

from calendar_events.feeds.calendar import CONTENT_TYPE, closing, components, opening

__all__ = ["CONTENT_TYPE", "closing", "components", "opening"]
