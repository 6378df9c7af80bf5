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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import transaction
from django.utils import timezone

from calendar_events.api import changing, creating, finding, responses
from calendar_events.api.attempts import refusals, until_done
from calendar_events.models import Event, Organizer, Status, Taxonomy, Venue
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
from calendar_events.services import events, organizers, terms, venues
from calendar_events.services.fetching import Pictures
from calendar_events.services.images import delete_files_on_rollback
from calendar_events.services.refusals import InTrash

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


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCases:
    """The services of one kind of record; each takes the identifier as ``{kind}_id``."""

    kind: str
    create: Callable[..., AnyRecord]
    update: Callable[..., AnyRecord]
    trash: Callable[..., AnyRecord]
    delete: Callable[..., None]


class RecordWrites:
    """Create, change, trash, restore and delete; the same for three kinds of record."""

    model: ClassVar[type[AnyRecord]]
    body: ClassVar[type[RecordInput]]
    use_cases: ClassVar[UseCases]

    def create(self, request: Request, *_args: Any, **_kwargs: Any) -> HttpResponse:
        """Create a record: 201 with ``Location``."""
        with refusals(self.use_cases.kind):
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
                create=lambda changes: self.use_cases.create(
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
                written = self.use_cases.update(
                    actor=actor,
                    changes=changes,
                    now=timezone.now(),
                    expected_version=changing.expected_version(request, record, body),
                    **{f"{self.use_cases.kind}_id": record.pk},
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
            write: dict[str, Any] = {
                "actor": actor,
                "expected_version": changing.expected_version(request, record),
                f"{self.use_cases.kind}_id": record.pk,
            }
            with transaction.atomic():
                if not forced:
                    trashed = self.use_cases.trash(now=timezone.now(), **write)
                    return responses.record_response(request, trashed, viewer=viewer)
                answer = responses.record_response(request, record, viewer=viewer)
                self.use_cases.delete(**write)
                return answer

        return self._write(request, "delete", once)

    def _write(self, request: Request, verb: str, once: Write) -> HttpResponse:
        """Write for somebody who may change or delete some record of the kind."""
        with refusals(self.use_cases.kind):
            actor = changing.actor_of(request)
            require_verb(actor, verb, self.model)
            viewer = changing.viewer_of(actor)
            return until_done(lambda: once(actor, viewer))


class EventWrites(RecordWrites):
    """Create, change and delete events."""

    model = Event
    body = EventInput
    use_cases = UseCases(
        kind="event",
        create=events.create_event,
        update=events.update_event,
        trash=events.trash_event,
        delete=events.delete_event,
    )


class VenueWrites(RecordWrites):
    """Create, change and delete venues."""

    model = Venue
    body = VenueInput
    use_cases = UseCases(
        kind="venue",
        create=venues.create_venue,
        update=venues.update_venue,
        trash=venues.trash_venue,
        delete=venues.delete_venue,
    )


class OrganizerWrites(RecordWrites):
    """Create, change and delete organizers."""

    model = Organizer
    body = OrganizerInput
    use_cases = UseCases(
        kind="organizer",
        create=organizers.create_organizer,
        update=organizers.update_organizer,
        trash=organizers.trash_organizer,
        delete=organizers.delete_organizer,
    )


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
