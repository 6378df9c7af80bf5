"""The app that keeps events, venues, organizers, categories and tags."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CalendarEventsConfig(AppConfig):
    """The calendar events REST interface."""

    name = "calendar_events"
    verbose_name = "Calendar events"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register checks and the dialect; see to groups and triggers after ``migrate``."""
        from calendar_events import checks  # noqa: F401, PLC0415 -- after app loading
        from calendar_events.api import dialect  # noqa: F401, PLC0415 -- registers itself
        from calendar_events.models import rendered  # noqa: PLC0415 -- after app loading
        from calendar_events.store import saving  # noqa: PLC0415 -- after app loading

        rendered.register(saving)
        post_migrate.connect(restore_groups, sender=self)
        post_migrate.connect(restore_triggers, sender=self)


def restore_groups(**_kwargs: Any) -> None:
    """Create the groups of ``roles`` that are missing."""
    from django.contrib.auth.models import Group, Permission  # noqa: PLC0415 -- app loading

    from calendar_events import roles  # noqa: PLC0415 -- after app loading

    roles.create_missing_groups(Group, Permission)


def restore_triggers(*, using: str, **_kwargs: Any) -> None:
    """Make triggers again that a migration dropped with its table."""
    from calendar_events.store import rebuilding  # noqa: PLC0415 -- after app loading

    rebuilding.restore_triggers(using)
