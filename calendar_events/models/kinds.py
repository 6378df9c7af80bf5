"""The types of record that the interface serves, and the words for them.

Tables of functions by type are still in ``api.root``, ``store.links``, ``store.saving``,
``store.rebuilding``, ``documents.rendering`` and ``permissions``: a sixth type needs an
entry in each of them, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from calendar_events.models.event import Event
from calendar_events.models.organizer import Organizer
from calendar_events.models.taxonomy import Taxonomy
from calendar_events.models.term import Term
from calendar_events.models.venue import Venue
from calendar_events.models.visibility import EVENT, ORGANIZER, VENUE

if TYPE_CHECKING:
    from django.db.models import Model


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of record, and the words for it."""

    model: type[Model]
    singular: str
    """In error codes, in texts, and as a slug of last resort."""
    plural: str
    """The path segment of its collection."""
    taxonomy: Taxonomy | None = None
    """Which of the terms are of the kind."""


KINDS: Final = (
    Kind(Event, EVENT, "events"),
    Kind(Venue, VENUE, "venues"),
    Kind(Organizer, ORGANIZER, "organizers"),
    Kind(Term, "category", "categories", Taxonomy.CATEGORY),
    Kind(Term, "tag", "tags", Taxonomy.TAG),
)
_BY_KEY: Final[dict[Any, Kind]] = {
    **{kind.singular: kind for kind in KINDS},
    **{kind.taxonomy or kind.model: kind for kind in KINDS},
}


def kind_of(record: Any) -> Kind:
    """Return the kind of a record."""
    return kind_for(getattr(record, "taxonomy", None) or record._meta.concrete_model)


def kind_for(key: Any) -> Kind:
    """Return the kind of a model, a taxonomy or a singular. Raises ``KeyError``."""
    return _BY_KEY[key]
