"""The app that knows who is calling, and says no in the platform's words."""

from django.apps import AppConfig, apps
from django.core.signals import request_finished


class PlatformErrorsConfig(AppConfig):
    """Signed requests, bearer tokens and the error contract."""

    name = "platform_errors"
    verbose_name = "Platform errors"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what runs without being called; register the OpenAPI extensions."""
        from platform_errors import checks  # noqa: F401, PLC0415 -- registers itself
        from platform_errors.http.client_address import leave_request  # noqa: PLC0415 -- app registry
        from platform_errors.http.request_id import forget_request_id  # noqa: PLC0415 -- app registry

        if apps.is_installed("drf_spectacular"):
            from platform_errors import schema  # noqa: F401, PLC0415 -- registers itself

        request_finished.connect(
            forget_request_id, dispatch_uid="platform_errors.forget_request_id"
        )
        request_finished.connect(
            leave_request, dispatch_uid="platform_errors.leave_request"
        )
