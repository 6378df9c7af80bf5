"""The app that keeps events, venues, organizers, categories and tags."""

from django.apps import AppConfig


class CalendarEventsConfig(AppConfig):
    """The calendar events REST interface."""

    name = "calendar_events"
    verbose_name = "Calendar events"
    default_auto_field = "django.db.models.BigAutoField"
