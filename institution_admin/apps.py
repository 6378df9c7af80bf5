"""Django admin for several institutions, each with its own staff."""

from django.apps import AppConfig


class InstitutionAdminConfig(AppConfig):
    """Base classes of admin pages, and their templates; no models."""

    name = "institution_admin"
    verbose_name = "Institution admin"
