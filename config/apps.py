"""The project as an app: commands that need every app live here."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """Wires authserver, platform_errors and calendar_events together."""

    name = "config"
    verbose_name = "Project"
