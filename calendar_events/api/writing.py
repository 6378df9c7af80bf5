"""What the viewsets do on POST, PUT, PATCH and DELETE.

Each mixin is joined with its reading half in ``viewsets.py``, where the routes find the
actions by these names: ``create``, ``update`` (PUT, POST, PATCH by id or by slug) and
``destroy``; the address gives ``pk`` or ``slug``.

The order of checks is that of decisions 7: credentials, service and institution (the
viewset's permission classes), permission, existence, preconditions, body. Where somebody
else writes the record between the checks and the write, all that concerns the record is
checked again (``until_done``).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import transaction
from django.utils import timezone

from calendar_events.api import changing, creating, finding, responses
from calendar_events.api.attempts import refusals, until_done
from calendar_events.models import Event, Organizer, Status, Taxonomy, Venue
from calendar_events.models.visibility import EVENT, ORGANIZER, VENUE
from calendar_events.permissions import (
    require_create,
    require_manage,
    require_verb,
)
from calendar_events.serializers import bodies
from calendar_events.serializers.inputs import (
    CategoryInput,
    EventInput,
    OrganizerInput,
    TermInput,
    VenueInput,
)
from calendar_events.services import events, places, terms
from calendar_events.services.fetching import Pictures
from calendar_events.services.images import delete_files_on_rollback
from calendar_events.services.refusals import InTrash
from calendar_events.services.removal import delete_record, trash_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponse
    from rest_framework.request import Request

    from calendar_events.models.visibility import Viewer
    from calendar_events.permissions import Actor
    from calendar_events.serializers.base import RecordInput
    from calendar_events.services.images import Picture

    Write = Callable[[Actor, Viewer], HttpResponse]

AnyRecord = Event | Venue | Organizer

LISTS = frozenset({"categories", "tags", "venue", "organizer", "cost"})
"""Fields of which a form may hold several under one name."""


class RecordWrites:
    """Create, change, trash, restore and delete; the same for three kinds of record."""

    model: ClassVar[type[AnyRecord]]
    body: ClassVar[type[RecordInput]]
    create_record: ClassVar[Callable[..., AnyRecord]]
    update_record: ClassVar[Callable[..., AnyRecord]]
    kind: str
    """The word of error codes."""

    def create(self, request: Request, *_args: Any, **_kwargs: Any) -> HttpResponse:
        """Create a record: 201 with ``Location``."""
        with refusals(self.kind):
            actor = changing.actor_of(request)
            require_create(actor, self.model)
            zone = changing.input_zone(request)
            body = bodies.read(request, lists=LISTS)
            reader = changing.BodyReader(input=self.body, body=body, actor=actor, zone=zone)
            pictures = Pictures(actor=actor)
            return creating.answer(
                request,
                actor,
                body,
                read=lambda: pictures.fetch_for(reader.changes()),
                create=lambda changes: self.create_record(
                    actor=actor, changes=changes, now=timezone.now()
                ),
            )

    def update(self, request: Request, *_args: Any, **address: str) -> HttpResponse:
        """Change what is sent, and nothing else; POST, PUT and PATCH are the same."""
        pictures: dict[str, Picture] = {}

        def once(actor: Actor, viewer: Viewer) -> HttpResponse:
            record = finding.writable_record(request, actor, "change", self.model, address)
            zone = changing.input_zone(request)
            body = changing.checked_body(request, record, viewer, lists=LISTS)
            reader = changing.BodyReader(
                input=self.body, body=body, actor=actor, current=record, zone=zone
            )
            fetched = Pictures(actor=actor, fetched=pictures)
            changes = fetched.fetch_for(reader.changes())
            with delete_files_on_rollback(), transaction.atomic():
                written = self.update_record(
                    actor=actor,
                    pk=record.pk,
                    changes=changes,
                    now=timezone.now(),
                    expected_version=changing.expected_version(request, record, body),
                )
                # In the transaction, so that it is this write that is answered.
                return responses.record_response(request, written, viewer=viewer)

        return self._write(request, "change", once)

    def destroy(self, request: Request, *_args: Any, **address: str) -> HttpResponse:
        """Move to the trash; with ``force`` delete for good."""

        def once(actor: Actor, viewer: Viewer) -> HttpResponse:
            record = finding.writable_record(request, actor, "delete", self.model, address)
            forced = changing.is_forced(request)
            if record.status == Status.TRASH and not forced:
                raise InTrash(str(record))
            responses.check_preconditions(request, record, viewer=viewer)
            version = changing.expected_version(request, record)
            with transaction.atomic():
                if not forced:
                    trashed = trash_record(
                        self.model,
                        actor=actor,
                        pk=record.pk,
                        now=timezone.now(),
                        expected_version=version,
                    )
                    return responses.record_response(request, trashed, viewer=viewer)
                answer = responses.record_response(request, record, viewer=viewer)
                delete_record(
                    self.model, actor=actor, pk=record.pk, expected_version=version
                )
                return answer

        return self._write(request, "delete", once)

    def _write(self, request: Request, verb: str, once: Write) -> HttpResponse:
        """Write for somebody who may change or delete some record of the kind."""
        with refusals(self.kind):
            actor = changing.actor_of(request)
            require_verb(actor, verb, self.model)
            viewer = changing.viewer_of(actor)
            return until_done(lambda: once(actor, viewer))


class EventWrites(RecordWrites):
    """Create, change and delete events."""

    model = Event
    kind = EVENT
    body = EventInput
    create_record = staticmethod(events.create_event)
    update_record = staticmethod(events.update_event)


class VenueWrites(RecordWrites):
    """Create, change and delete venues."""

    model = Venue
    kind = VENUE
    body = VenueInput
    create_record = staticmethod(partial(places.create_place, Venue))
    update_record = staticmethod(partial(places.update_place, Venue))


class OrganizerWrites(RecordWrites):
    """Create, change and delete organizers."""

    model = Organizer
    kind = ORGANIZER
    body = OrganizerInput
    create_record = staticmethod(partial(places.create_place, Organizer))
    update_record = staticmethod(partial(places.update_place, Organizer))


class TermWrites:
    """Create, change and delete categories and tags; ``self.taxonomy`` says which."""

    taxonomy: Taxonomy

    @property
    def kind(self) -> str:
        """The word of error codes."""
        return "category" if self.taxonomy == Taxonomy.CATEGORY else "tag"

    @property
    def body(self) -> type[TermInput]:
        """Categories have a parent, tags do not."""
        return CategoryInput if self.taxonomy == Taxonomy.CATEGORY else TermInput

    def create(self, request: Request, *_args: Any, **_kwargs: Any) -> HttpResponse:
        """Create a term: 201 with ``Location``."""
        with refusals(self.kind):
            actor = changing.actor_of(request)
            require_manage(actor, self.taxonomy)
            body = bodies.read(request, lists=())
            reader = changing.BodyReader(input=self.body, body=body, actor=actor)
            return creating.answer(
                request,
                actor,
                body,
                read=reader.changes,
                create=lambda changes: terms.create_term(
                    actor=actor,
                    taxonomy=self.taxonomy,
                    changes=changes,
                    now=timezone.now(),
                ),
            )

    def update(self, request: Request, *_args: Any, **address: str) -> HttpResponse:
        """Change what is sent, and nothing else; POST, PUT and PATCH are the same."""

        def once(actor: Actor, viewer: Viewer) -> HttpResponse:
            term = finding.own_term(request, self.taxonomy, address)
            responses.check_preconditions(request, term, viewer=viewer)
            body = bodies.read(request, lists=())
            changing.require_unchanged(term, body)
            changes = changing.BodyReader(
                input=self.body, body=body, actor=actor, current=term
            ).changes()
            with transaction.atomic():
                written = terms.update_term(
                    actor=actor,
                    term_id=term.pk,
                    changes=changes,
                    now=timezone.now(),
                    expected_version=changing.expected_version(request, term, body),
                )
                return responses.record_response(request, written, viewer=viewer)

        return self._write(request, once)

    def destroy(self, request: Request, *_args: Any, **address: str) -> HttpResponse:
        """Delete for good; the answer is the term as it was."""

        def once(actor: Actor, viewer: Viewer) -> HttpResponse:
            term = finding.own_term(request, self.taxonomy, address)
            responses.check_preconditions(request, term, viewer=viewer)
            with transaction.atomic():
                answer = responses.record_response(request, term, viewer=viewer)
                terms.delete_term(
                    actor=actor,
                    term_id=term.pk,
                    now=timezone.now(),
                    expected_version=changing.expected_version(request, term),
                )
                return answer

        return self._write(request, once)

    def _write(self, request: Request, once: Write) -> HttpResponse:
        """Write for somebody who may manage terms of the kind."""
        with refusals(self.kind):
            actor = changing.actor_of(request)
            require_manage(actor, self.taxonomy)
            viewer = changing.viewer_of(actor)
            return until_done(lambda: once(actor, viewer))
