"""What the calendar learns of institutions: the adapter of its port."""

from __future__ import annotations

from authserver.models import Institution


def names() -> dict[str, str]:
    """Return the name of every institution by its registry identifier, by name.

    Inactive ones too: their calendars stay, and are looked after.
    """
    found = Institution.objects.in_display_order().only("registry_id", "name", "is_active")
    return {institution.registry_id: _label(institution) for institution in found}


def _label(institution: Institution) -> str:
    return str(institution) if institution.is_active else f"{institution}, inactive"
