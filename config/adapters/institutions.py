"""What the calendar learns of institutions: the adapter of its port."""

from typing import Any

from authserver.models import Institution
from authserver.models.institution import collect_institution_references
from calendar_events.models import Event, Image, Organizer, Term, Venue


def names() -> dict[str, str]:
    """Return the name of every institution by its registry identifier, by name.

    Inactive ones too: their calendars stay, and are looked after.
    """
    found = Institution.objects.in_display_order().only("registry_id", "name", "is_active")
    return {institution.registry_id: _label(institution) for institution in found}


def connect() -> None:
    """Say of institutions that their calendars use them."""
    collect_institution_references.connect(in_calendar, dispatch_uid=__name__)


def in_calendar(institution: Institution, **_kwargs: Any) -> str:
    """Return what the calendar has of the institution, if anything."""
    kinds: list[Any] = [Event, Venue, Organizer, Term, Image]
    found = [
        str(kind._meta.verbose_name_plural)
        for kind in kinds
        if kind.objects.filter(institution=institution.registry_id).exists()
    ]
    return f"{', '.join(found)} in the calendar of {institution}" if found else ""


def _label(institution: Institution) -> str:
    return str(institution) if institution.is_active else f"{institution}, inactive"
