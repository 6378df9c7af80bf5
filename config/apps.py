"""The project as an app: commands that need every app live here."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """Wires authserver, platform_errors and calendar_events together."""

    name = "config"
    verbose_name = "Project"

    def ready(self) -> None:
        """Register the project's system checks."""
        from config import checks  # noqa: F401, PLC0415 -- apps must be loaded first
