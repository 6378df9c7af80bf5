"""The app that logs people in at their institution and grants tokens to applications."""

from django.apps import AppConfig


class AuthserverConfig(AppConfig):
    """Institution selection, login, grant and the token endpoint."""

    name = "authserver"
    verbose_name = "Authorization server"
    default_auto_field = "django.db.models.BigAutoField"
