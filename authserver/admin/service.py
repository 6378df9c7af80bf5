"""Web services of the platform."""

from django.contrib import admin

from authserver.models import Service
from institution_admin import InstitutionScopedAdmin


@admin.register(Service)
class ServiceAdmin(InstitutionScopedAdmin):
    """What keys can be given; the description is what the grant page says."""

    list_display = ["name", "code", "description"]
    search_fields = ["name", "code", "description"]
    ordering = ["name", "pk"]
