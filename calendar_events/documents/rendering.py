"""From a record to the columns that are made of its document.

A fragment is the members of the document's JSON object, without the braces. Event fragments
end before ``categories``, term fragments before ``count``: what follows belongs to other
rows. From the same document come the record's text in feeds and its ``json_ld``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.module_loading import import_string

from calendar_events.conf import conf
from calendar_events.documents import addresses, jsonld
from calendar_events.documents.events import EventDocument
from calendar_events.documents.ical import texts
from calendar_events.documents.places import OrganizerDocument, VenueDocument
from calendar_events.documents.terms import CarriedTerm, OwnTerm, TermDocument

if TYPE_CHECKING:
    from rest_framework.serializers import Serializer

    from calendar_events.models import Event, Organizer, Term, Venue

DOCUMENTS: dict[str, type[Serializer[Any]]] = {
    "event": EventDocument,
    "venue": VenueDocument,
    "organizer": OrganizerDocument,
    "category": TermDocument,
    "tag": TermDocument,
}
_TERM = CarriedTerm()
_OWN_TERM = OwnTerm()
LONGEST_KEPT = 2_000
"""Characters of a description that a process keeps rendered."""
_UNCOUNTED = '"count":0'
"""The second member of a term; only its identifier stands before it."""


class Rendered(NamedTuple):
    """The columns of a venue or an organizer that are made of the others."""

    fragment: str
    feed_text: str
    json_ld: str


class RenderedEvent(NamedTuple):
    """The columns of an event that are made of the others.

    The protected ones are what is seen without the password; empty when there is none.
    """

    fragment: str
    protected_fragment: str
    feed_text: str
    protected_feed_text: str
    json_ld: str
    """What comes before and what comes after ``location`` and ``organizer``."""


def document_class(kind: str) -> type[Serializer[Any]]:
    """Return the serializer of a kind: the project's (``DOCUMENTS``) or the calendar's."""
    path = conf.documents.get(kind)
    return import_string(path) if path else DOCUMENTS[kind]


# A serializer copies its fields when it is made, which takes longer than all that they do.
@cache
def _made(document: type[Serializer[Any]]) -> Any:
    return document()


def render_event(event: Event) -> RenderedEvent:
    """Return what is made of an event, up to its related records."""
    serializer = _made(document_class("event"))
    document = serializer.to_representation(event)
    protected = serializer.protected(document) if event.password else None
    described = jsonld.event(document, currency=conf.currency)
    return RenderedEvent(
        fragment=addresses.members(document),
        protected_fragment=addresses.members(protected) if protected else "",
        feed_text=texts.event_text(document, version=event.version),
        protected_feed_text=(
            texts.event_text(protected, version=event.version) if protected else ""
        ),
        json_ld=texts.MARK.join(map(addresses.members, described)),
    )


def render_venue(venue: Venue) -> Rendered:
    document = _made(document_class("venue")).to_representation(venue)
    return Rendered(
        fragment=addresses.members(document),
        feed_text=texts.venue_text(document),
        json_ld=addresses.members(jsonld.place(document)),
    )


def render_organizer(organizer: Organizer) -> Rendered:
    document = _made(document_class("organizer")).to_representation(organizer)
    return Rendered(
        fragment=addresses.members(document),
        feed_text=texts.organizer_text(document),
        json_ld=addresses.members(jsonld.person(document)),
    )


def render_term(term: Term) -> str:
    """Return a term as events carry it."""
    return addresses.members(_TERM.to_representation(term))


def term_answer(row: Any) -> str:
    """Return a term as its own answer, given its columns and the number of its events.

    Of what is answered this alone is not stored. It is rendered when it is first read and
    kept while its columns are the same. Rendered each time, a page of 50 took 40 % more.
    Long descriptions are not kept: the memory of a process must not depend on them.
    """
    is_kept = len(row.description) <= LONGEST_KEPT
    text = (_own_term if is_kept else _render_own_term)(row._replace(number=0))
    return text.replace(_UNCOUNTED, f'"count":{row.number}', 1)


def _render_own_term(row: Any) -> str:
    return addresses.dumps(_OWN_TERM.to_representation(row))


_own_term = lru_cache(maxsize=512)(_render_own_term)
