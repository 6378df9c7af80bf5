"""POST, PUT, PATCH and DELETE, in the shape of DRF's mixins.

The routes find the actions by their names: ``create``, ``update`` (PUT, POST, PATCH by id
or by slug) and ``destroy``; the address gives ``pk`` or ``slug``. What a project wants to
do differently it overrides as in any of DRF's viewsets: ``get_serializer_class``,
``perform_create``, ``perform_update``, ``perform_destroy``.

The order of checks is that of decisions 7: credentials, service and institution (the
viewset's permission classes), permission, existence, preconditions, body. Where somebody
else writes the record between the checks and the write, the action is tried again
(``retried``). Refusals are worded by ``errors.handle``.
"""

import logging
import random
import time
from collections.abc import Callable
from datetime import tzinfo
from functools import wraps
from typing import Any, ClassVar, Final, ParamSpec, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, OperationalError
from django.utils import timezone
from django.utils.functional import cached_property
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from calendar_events.api import access, idempotency, responses
from calendar_events.api.access import RecordNotFound
from calendar_events.api.base import EventsView
from calendar_events.api.conditional import Version
from calendar_events.models import Event, Organizer, Term, Venue
from calendar_events.parsing.slugs import identifier
from calendar_events.permissions import Actor
from calendar_events.serializers import bodies
from calendar_events.services import records
from calendar_events.services.fetching import Pictures
from calendar_events.services.images import delete_files_on_rollback
from calendar_events.store.saving import VersionConflict
from platform_errors.errors import catalogue
from platform_errors.errors.writes import InvalidParameters
from platform_errors.permissions import require_credentials, require_same_institution

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

logger = logging.getLogger(__name__)

ATTEMPTS = 10
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.005, 0.2
"""The longest pause before the second attempt, doubled for each further one; its bound."""
RETRY_AFTER = {"Retry-After": "2"}
# PostgreSQL's class 40: the transaction was rolled back, and may simply be run again.
ROLLED_BACK = ("40001", "40P01")


def retried(write: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate ``write`` to be called again while a concurrent transaction prevents it.

    A constraint that another transaction's row violates (a slug, an idempotency key, a
    venue that was deleted since it was looked up) is judged anew by looking again, and so
    is a record that is at another version than the one whose preconditions held.

    Raises ``Unavailable`` after ``ATTEMPTS``.
    """

    @wraps(write)
    def until_done(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for attempt in range(ATTEMPTS):
            if attempt:
                longest = min(
                    FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), LONGEST_PAUSE_SECONDS
                )
                time.sleep(random.uniform(0, longest))  # noqa: S311 -- only so that they part
            try:
                return write(*args, **kwargs)
            except (IntegrityError, VersionConflict) as error:
                reason = type(error).__name__
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") not in ROLLED_BACK:
                    raise
                reason = type(error).__name__
            logger.info("Write attempt %d of %d failed: %s", attempt + 1, ATTEMPTS, reason)
        raise catalogue.Unavailable(
            "too many others write the same records", headers=RETRY_AFTER
        )

    return until_done


AnyRow = Event | Venue | Organizer | Term

VERBS: Final = {"create": "add", "destroy": "delete"}
"""The permission that an action needs; any other needs ``change``."""


class Writes(EventsView):
    """Create, change and delete: the same for all five types."""

    kind: ClassVar[str]
    """The word of error codes."""
    lists: ClassVar[frozenset[str]] = frozenset()
    """Fields of which a form may hold several under one name."""

    expected_version: int | None = None
    """The version that must still be stored when the write happens, if that matters."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in SAFE_METHODS and self.action:
            self.require_right()

    @retried
    def create(self, request: Request, *_args: Any, **_kwargs: Any) -> Any:
        """Create a record: 201 with ``Location``; what came before, again."""
        body = self.read_body()
        claim = idempotency.claim_of(request, self.actor, body)
        if claim and (earlier := idempotency.earlier_answer(claim)):
            return idempotency.repeated(earlier)
        serializer = self.get_serializer(data=body)
        self.validate(serializer)
        with delete_files_on_rollback(), self.atomic():
            if claim:
                idempotency.take(claim)
            self.perform_create(serializer)
            response = self.answer(serializer.instance, status=201)
            if claim:
                idempotency.keep_response(claim, request, response)
        return response

    @retried
    def update(self, request: Request, *_args: Any, **_kwargs: Any) -> Any:
        """Change what is sent, and nothing else; POST, PUT and PATCH are the same."""
        record = self.get_object()
        body = responses.checked_body(
            request, record, lambda: self.stored_version(record), lists=self.lists
        )
        serializer = self.get_serializer(record, data=body, partial=True)
        self.validate(serializer)
        self.expected_version = responses.expected_version(request, record, body)
        with delete_files_on_rollback(), self.atomic():
            self.perform_update(serializer)
            # In the transaction, so that it is this write that is answered.
            return self.answer(serializer.instance)

    @retried
    def destroy(self, request: Request, *_args: Any, **_kwargs: Any) -> Any:
        """Move to the trash; with ``force``, or where there is none, delete for good."""
        record = self.get_object()
        is_kept = self.goes_to_trash(record)
        responses.require_met(request, lambda: self.stored_version(record))
        self.expected_version = responses.expected_version(request, record)
        with self.atomic():
            # What is deleted for good can only be shown before.
            response = None if is_kept else self.answer(record)
            self.perform_destroy(record)
            return response or self.answer(record)

    def stored_version(self, record: AnyRow) -> Version:
        """Return the version that a precondition of the write is about."""
        return responses.described(record, viewer=access.as_viewer(self.actor))[0]

    def goes_to_trash(self, record: AnyRow) -> bool:
        """Return whether a deletion can be undone."""
        return False

    def perform_create(self, serializer: BaseSerializer[Any]) -> None:
        """Have the service create the record of a valid body."""
        raise NotImplementedError

    def perform_update(self, serializer: BaseSerializer[Any]) -> None:
        """Have the service change the record as a valid body says."""
        record: Any = serializer.instance
        serializer.instance = records.update(
            record,
            actor=self.actor,
            changes=serializer.validated_data,
            now=timezone.now(),
            version=self.expected_version,
        )

    def perform_destroy(self, instance: AnyRow) -> None:
        """Have the service delete a record for good."""
        version, now = self.expected_version, timezone.now()
        records.delete(instance, actor=self.actor, now=now, version=version)

    def validate(self, serializer: BaseSerializer[Any]) -> None:
        """Require a valid body, and fetch the pictures that it gives by address.

        Raises ``ValidationError``, ``NotAllowed`` and what ``Pictures`` raises.
        """
        serializer.is_valid(raise_exception=True)
        self.pictures.fetch_for(serializer.validated_data)

    def answer(self, record: Any, *, status: int = 200) -> Response:
        """Return the record as its writer may see it."""
        viewer = access.as_viewer(self.actor)
        return responses.written(record, viewer=viewer, status=status)

    @cached_property
    def actor(self) -> Actor:
        return access.actor_of(self.request)

    @cached_property
    def pictures(self) -> Pictures:
        """Return the pictures of the body, which outlive an attempt."""
        return Pictures(actor=self.actor)

    def read_body(self) -> dict[str, Any]:
        """Return the body as plain data."""
        return bodies.read(self.request, lists=self.lists)

    def get_serializer_context(self) -> dict[str, Any]:
        """Add what the fields of inputs look at."""
        context = {"actor": self.actor, "now": timezone.now(), "zone": self.input_zone()}
        return {**super().get_serializer_context(), **context}

    def input_zone(self) -> tzinfo | None:
        """Return the zone of naive dates in the body, when the request names one."""
        return None

    def query_value(self, name: str, clean: Callable[[str], Any]) -> Any:
        """Return a parameter of the write as ``clean`` reads it; ``None`` without one.

        Raises ``InvalidParameters`` where ``clean`` raises ``ValidationError``.
        """
        value = self.request.query_params.get(name, "")
        try:
            return clean(value) if value else None
        except ValidationError as error:
            raise InvalidParameters({name: error.messages[0]}) from error

    def require_right(self) -> None:
        """Require the right to do what the action does. Raises ``NotAllowed``."""
        raise NotImplementedError

    def get_object(self) -> Any:
        """Return the record of the path, which the actor of a write may write.

        Raises ``NotAllowed``, ``RecordNotFound``, the model's ``DoesNotExist`` and a
        refusal for what is another institution's.
        """
        if self.request.method in SAFE_METHODS:
            return super().get_object()
        record = self.find_record()
        if self.is_left_out(record.pk):
            raise RecordNotFound(self.kind)
        require_same_institution(require_credentials(self.request), record.institution)
        self.check_object_permissions(self.request, record)
        return record

    def find_record(self) -> Any:
        """Return the record of the path. Raises the model's ``DoesNotExist``."""
        return self.rows().get(pk=identifier(self.kwargs["pk"]))

    def rows(self) -> Any:
        return EventsView.get_queryset(self)
