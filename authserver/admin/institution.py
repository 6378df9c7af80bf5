"""Institutions."""

from django.contrib import admin

from authserver.models import Institution


@admin.register(Institution)
class InstitutionAdmin(admin.ModelAdmin):
    """Where people log in; switching one off stops it everywhere at once."""

    list_display = ["name", "registry_id", "place", "code", "is_active"]
    list_filter = ["is_active"]
    search_fields = ["name", "place", "code", "registry_id"]
    ordering = ["name", "pk"]
    fields = ["registry_id", "name", "place", "code", "is_active", "created_at"]
    readonly_fields = ["created_at"]
