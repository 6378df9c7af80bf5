"""The types of record that the interface serves: one entry each.

A further type is an entry, a model, a document, a FilterSet and a viewset. Routes, the
index, OpenAPI, stored documents and permissions follow from the entry. A project adds one
of its own by ``register``, in ``ready`` of its ``AppConfig``.
"""

from dataclasses import dataclass
from typing import Any, Final

from calendar_events.models.event import Event
from calendar_events.models.places import Organizer, Venue
from calendar_events.models.rendered import Rendered
from calendar_events.models.term import Term
from calendar_events.models.visibility import EVENT, ORGANIZER, VENUE, Taxonomy

DOCUMENTS: Final = "calendar_events.documents"
VIEWSETS: Final = "calendar_events.api.viewsets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A type of record: its words, and by dotted path what serves it above the models."""

    model: type[Rendered]
    singular: str
    """In error codes, in texts, and as a slug of last resort."""
    plural: str
    """The path segment of its collection."""
    summary: str
    """In the OpenAPI document."""
    document: str
    """The serializer of its answers; a project's own by ``DOCUMENTS``."""
    viewset: str
    taxonomy: Taxonomy | None = None
    """Which of the terms are of the kind."""


KINDS: Final = [
    Kind(
        model=Event,
        singular=EVENT,
        plural="events",
        summary="Events, as JSON and as calendars.",
        document=f"{DOCUMENTS}.events.EventDocument",
        viewset=f"{VIEWSETS}.EventViewSet",
    ),
    Kind(
        model=Venue,
        singular=VENUE,
        plural="venues",
        summary="Where events take place.",
        document=f"{DOCUMENTS}.places.VenueDocument",
        viewset=f"{VIEWSETS}.VenueViewSet",
    ),
    Kind(
        model=Organizer,
        singular=ORGANIZER,
        plural="organizers",
        summary="Who holds them.",
        document=f"{DOCUMENTS}.places.OrganizerDocument",
        viewset=f"{VIEWSETS}.OrganizerViewSet",
    ),
    Kind(
        model=Term,
        singular="category",
        plural="categories",
        summary="A tree of terms.",
        document=f"{DOCUMENTS}.terms.TermDocument",
        viewset=f"{VIEWSETS}.CategoryViewSet",
        taxonomy=Taxonomy.CATEGORY,
    ),
    Kind(
        model=Term,
        singular="tag",
        plural="tags",
        summary="Terms without an order.",
        document=f"{DOCUMENTS}.terms.TermDocument",
        viewset=f"{VIEWSETS}.TagViewSet",
        taxonomy=Taxonomy.TAG,
    ),
]


def _keys(kind: Kind) -> tuple[Any, ...]:
    return kind.singular, kind.taxonomy or kind.model


_BY_KEY: Final[dict[Any, Kind]] = {key: kind for kind in KINDS for key in _keys(kind)}


def register(kind: Kind) -> None:
    """Serve a further type, which has no taxonomy.

    Its singular must be the name of its model in lower case, as Django's permissions have
    it. Raises ``ValueError`` for another, and for a singular, plural or model that is
    registered already.
    """
    if kind.singular != kind.model._meta.model_name:
        raise ValueError(f"The singular must be {kind.model._meta.model_name}.")
    for one in KINDS:
        if kind.plural == one.plural or {*_keys(kind)} & {*_keys(one)}:
            raise ValueError(f"{kind.plural} are registered already.")
    KINDS.append(kind)
    _BY_KEY.update(dict.fromkeys(_keys(kind), kind))


def kind_of(record: Any) -> Kind:
    return kind_for(getattr(record, "taxonomy", None) or record._meta.concrete_model)


def kind_for(key: Any) -> Kind:
    """Return the kind of a model, a taxonomy or a singular. Raises ``KeyError``."""
    return _BY_KEY[key]
