"""Django admin of the calendar; a module per noun."""

from calendar_events.admin import (
    events,
    images,
    internals,
    places,
    terms,
    webhook_deliveries,
    webhooks,
)

__all__ = [
    "events",
    "images",
    "internals",
    "places",
    "terms",
    "webhook_deliveries",
    "webhooks",
]
