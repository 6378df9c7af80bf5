"""What the viewsets do on POST, PUT, PATCH and DELETE: one way of writing.

The routes find the actions by their names: ``create``, ``update`` (PUT, POST, PATCH by id
or by slug) and ``destroy``; the address gives ``pk`` or ``slug``. A viewset says what is
permitted and which record is meant; ``records`` says which service writes it.

The order of checks is that of decisions 7: credentials, service and institution (the
viewset's permission classes), permission, existence, preconditions, body. Where somebody
else writes the record between the checks and the write, all that concerns the record is
checked again (``until_done``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.utils import timezone

from calendar_events.api import callers, responses, steps
from calendar_events.api.attempts import refusals, until_done
from calendar_events.api.base import EventsView
from calendar_events.filters.fields import FlagField, TextField
from calendar_events.models import Status, Term
from calendar_events.parsing import zones
from calendar_events.parsing.identifiers import identifier
from calendar_events.permissions import (
    require_create,
    require_manage,
    require_on,
    require_verb,
)
from calendar_events.serializers import bodies
from calendar_events.serializers.base import refusal
from calendar_events.services import records, terms
from calendar_events.services.fetching import Pictures
from calendar_events.services.images import delete_files_on_rollback
from calendar_events.services.refusals import InTrash
from calendar_events.services.removal import trash_record
from platform_errors.permissions import require_credentials, require_same_institution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import tzinfo

    from rest_framework.request import Request
    from rest_framework.response import Response

    from calendar_events.models import Event, Organizer, Taxonomy, Venue
    from calendar_events.permissions import Actor
    from calendar_events.services.images import Picture

    AnyRow = Event | Venue | Organizer | Term


class Writes(EventsView):
    """Create, change and delete: the same for all five types."""

    kind: ClassVar[str]
    """The word of error codes."""
    lists: ClassVar[frozenset[str]] = frozenset()
    """Fields of which a form may hold several under one name."""
    has_trash: ClassVar[bool] = False

    def create(self, request: Request, *_args: Any, **_kwargs: Any) -> Any:
        """Create a record: 201 with ``Location``."""
        with refusals(self.kind):
            actor = callers.actor_of(request)
            self.require(actor, "add")
            zone = self.input_zone(request)
            body = bodies.read(request, lists=self.lists)
            pictures: dict[str, Picture] = {}

            def create(changes: Any) -> Response:
                created = self.perform_create(actor, changes)
                return responses.written(
                    created, viewer=callers.as_viewer(actor), status=201
                )

            return steps.created_once(
                request,
                steps.claim_of(request, actor, body),
                read=lambda: self.read(actor, body, pictures, zone=zone),
                create=create,
                atomic=self.atomic,
            )

    def update(self, request: Request, *_args: Any, **address: str) -> Any:
        """Change what is sent, and nothing else; POST, PUT and PATCH are the same."""
        pictures: dict[str, Picture] = {}

        def once(actor: Actor) -> Response:
            viewer = callers.as_viewer(actor)
            record = self.find(request, actor, "change", address)
            zone = self.input_zone(request)
            body = steps.checked_body(request, record, viewer, lists=self.lists)
            changes = self.read(actor, body, pictures, zone=zone, current=record)
            version = steps.expected_version(request, record, body)
            with delete_files_on_rollback(), self.atomic():
                written = records.update(
                    record,
                    actor=actor,
                    changes=changes,
                    now=timezone.now(),
                    version=version,
                )
                # In the transaction, so that it is this write that is answered.
                return responses.written(written, viewer=viewer)

        return self._write(request, "change", once)

    def destroy(self, request: Request, *_args: Any, **address: str) -> Any:
        """Move to the trash; with ``force``, or where there is none, delete for good."""

        def once(actor: Actor) -> Response:
            viewer = callers.as_viewer(actor)
            record = self.find(request, actor, "delete", address)
            to_trash = self.has_trash and not steps.query_value(
                request, "force", FlagField().clean
            )
            if to_trash and record.status == Status.TRASH:
                raise InTrash(str(record))
            responses.check_preconditions(request, record, viewer=viewer)
            version = steps.expected_version(request, record)
            with self.atomic():
                if to_trash:
                    trashed = trash_record(
                        type(record),
                        actor=actor,
                        pk=record.pk,
                        now=timezone.now(),
                        expected_version=version,
                    )
                    return responses.written(trashed, viewer=viewer)
                answer = responses.written(record, viewer=viewer)
                now = timezone.now()
                records.delete(record, actor=actor, now=now, version=version)
                return answer

        return self._write(request, "delete", once)

    def read(
        self,
        actor: Actor,
        body: Mapping[str, Any],
        pictures: dict[str, Picture],
        *,
        zone: tzinfo | None,
        current: AnyRow | None = None,
    ) -> Any:
        """Return the changes of a body, the pictures that it gives by address fetched.

        ``pictures`` keeps them by address, for when the write is tried again.
        Raises ``MissingParameters``, ``InvalidParameters``, ``NotAllowed`` and what
        ``Pictures`` raises.
        """
        now = timezone.now()
        serializer = self.get_serializer_class()(
            data=body,
            partial=current is not None,
            context={"actor": actor, "current": current, "now": now, "zone": zone},
        )
        if not serializer.is_valid():
            raise refusal(dict(serializer.errors))
        return Pictures(actor=actor, fetched=pictures).fetch_for(serializer.validated_data)

    def input_zone(self, request: Request) -> tzinfo | None:
        """Return the zone of naive dates in the body, when the request names one."""
        return None

    def require(self, actor: Actor, verb: str) -> None:
        """Require the right to ``add``, ``change`` or ``delete``. Raises ``NotAllowed``."""
        raise NotImplementedError

    def find(
        self, request: Request, actor: Actor, verb: str, address: Mapping[str, str]
    ) -> Any:
        """Return the record of an address, which the actor may change or delete.

        Raises ``NotAllowed``, its model's ``DoesNotExist`` and a refusal for what is
        another institution's.
        """
        raise NotImplementedError

    def perform_create(self, actor: Actor, changes: Any) -> Any:
        raise NotImplementedError

    def _write(
        self, request: Request, verb: str, once: Callable[[Actor], Response]
    ) -> Response:
        with refusals(self.kind):
            actor = callers.actor_of(request)
            self.require(actor, verb)
            return until_done(lambda: once(actor))


class RecordWrites(Writes):
    """Writing events, venues and organizers."""

    model: ClassVar[type[Event | Venue | Organizer]]
    has_trash = True
    lists = frozenset({"categories", "tags", "venue", "organizer", "cost"})

    def input_zone(self, request: Request) -> tzinfo | None:
        return steps.query_value(request, "tz", TextField(parse=zones.zone).clean)

    def require(self, actor: Actor, verb: str) -> None:
        """Require the right to create records, or to change or delete one's own."""
        if verb == "add":
            require_create(actor, self.model)
        else:
            require_verb(actor, verb, self.model)

    def find(
        self, request: Request, actor: Actor, verb: str, address: Mapping[str, str]
    ) -> Any:
        found = steps.find_record(self.model, address)
        require_same_institution(require_credentials(request), found.institution)
        require_on(actor, verb, found)
        return found

    def perform_create(self, actor: Actor, changes: Any) -> Any:
        now = timezone.now()
        return records.create(self.model, actor=actor, changes=changes, now=now)


class TermWrites(Writes):
    """Writing categories and tags."""

    taxonomy: ClassVar[Taxonomy]

    def require(self, actor: Actor, verb: str) -> None:
        require_manage(actor, self.taxonomy)

    def find(
        self, request: Request, actor: Actor, verb: str, address: Mapping[str, str]
    ) -> Term:
        pk = identifier(address["pk"])
        found: Term = Term.objects.get(taxonomy=self.taxonomy, pk=pk)
        require_same_institution(require_credentials(request), found.institution)
        return found

    def perform_create(self, actor: Actor, changes: Any) -> Term:
        return terms.create_term(
            actor=actor, taxonomy=self.taxonomy, changes=changes, now=timezone.now()
        )
