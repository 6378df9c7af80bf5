"""The project as an app: commands, and roles, that need every app live here."""

from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class ProjectConfig(AppConfig):
    """Wires authserver, platform_errors and calendar_events together."""

    name = "config"
    verbose_name = "Project"

    def ready(self) -> None:
        """Register the project's checks; bring back its roles after ``manage.py flush``."""
        from authserver import retention  # noqa: PLC0415 -- the same
        from calendar_events.store import changes  # noqa: PLC0415 -- the same
        from calendar_events.webhooks import deliveries  # noqa: PLC0415 -- the same
        from config import checks  # noqa: F401, PLC0415 -- apps must be loaded first
        from config.adapters import (  # noqa: PLC0415 -- the same
            institutions,
            personal_data,
            webhooks,
        )
        from config.background import queue  # noqa: PLC0415 -- the same
        from config.databases import answers  # noqa: PLC0415 -- psycopg is not for all
        from config.monitoring import signals  # noqa: PLC0415 -- the same

        connection_created.connect(answers.limit_waits, dispatch_uid=answers.__name__)
        institutions.connect()
        personal_data.connect()
        webhooks.connect()
        signals.connect()
        retention.collect_expired.connect(queue.purgeable)
        retention.collect_expired.connect(changes.purgeable)
        retention.collect_expired.connect(deliveries.purgeable)
        post_migrate.connect(restore_roles, sender=self)


def restore_roles(**_kwargs: Any) -> None:
    """Create the roles across the apps that are missing."""
    from django.contrib.auth.models import Group, Permission  # noqa: PLC0415 -- app loading

    from config.adapters import roles  # noqa: PLC0415 -- after app loading

    roles.create_missing_groups(Group, Permission)
