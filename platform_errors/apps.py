"""The app that knows who is calling, and says no in the platform's words."""

from django.apps import AppConfig


class PlatformErrorsConfig(AppConfig):
    """Signed requests, bearer tokens and the error contract."""

    name = "platform_errors"
    verbose_name = "Platform errors"
    default_auto_field = "django.db.models.BigAutoField"
