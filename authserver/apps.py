"""The app that lets people log in at their institution and grants tokens."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.db.backends.signals import connection_created


class AuthserverConfig(AppConfig):
    """Institution selection, login, grant and the token endpoint."""

    default = True  # of the two in this module
    name = "authserver"
    verbose_name = "Authorization server"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what needs the models."""
        from authserver import checks  # noqa: F401, PLC0415 -- needs the apps
        from authserver.accounts import access, login_audit  # noqa: F401, PLC0415 -- the same
        from authserver.audit import install_sqlite_guard  # noqa: PLC0415 -- needs the apps
        from authserver.federation import prolong_trips  # noqa: PLC0415 -- the same
        from authserver.keys import activity  # noqa: F401, PLC0415 -- the same

        prolong_trips()
        connection_created.connect(
            install_sqlite_guard, dispatch_uid="authserver.install_sqlite_guard"
        )


class PlatformAdminConfig(admin_apps.AdminConfig):
    """Django admin with the site of this app, in place of ``django.contrib.admin``."""

    default = False
    default_site = "authserver.accounts.admin_site.PlatformAdminSite"
