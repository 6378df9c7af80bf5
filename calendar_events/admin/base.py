"""The base classes of the calendar's admin.

Nothing is saved here: what was typed goes through the same inputs and services as in the
events interface, so that admin cannot make what the interface would refuse.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import wraps
from itertools import islice
from typing import Any, ClassVar

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from simple_history.admin import SimpleHistoryAdmin

from calendar_events.admin.forms import CHANGED_MEANWHILE, RecordForm
from calendar_events.admin.history import Differences, name_links
from calendar_events.admin.institutions import owner_now, registry_id_of
from calendar_events.admin.pages import PagesMixin
from calendar_events.models import Event
from calendar_events.parsing import text
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services import desk, records
from calendar_events.services.changesets import InvalidFields, TermExists
from calendar_events.store.saving import VersionConflict
from institution_admin import InstitutionScopedAdmin, institution_of, is_id


@contextmanager
def refused_as_forbidden() -> Iterator[None]:
    """Show the admin's page for what is not allowed."""
    try:
        yield
    except NotAllowed as error:
        raise PermissionDenied(str(error)) from error


def problems_in_words(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Say so when somebody else was faster between the look and the write."""

    @wraps(view)
    def wrapped(self: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(self, request, *args, **kwargs)
        except (VersionConflict, self.model.DoesNotExist):
            problem = CHANGED_MEANWHILE
        except (TermExists, InvalidFields) as error:
            problem = str(error)
        messages.error(request, problem)
        return HttpResponseRedirect(request.get_full_path())

    return wrapped


class CalendarAdmin(InstitutionScopedAdmin):
    """Rows that say whose they are by a registry identifier."""

    institution_path = "institution"

    def institution_value(self, institution: Any) -> str:
        """Return the identifier; of another project's institutions, their text."""
        return registry_id_of(institution)

    def belongs_to(self, obj: Any, institution: Any) -> bool:
        """Return whether a record is the institution's now, whosever its versions were."""
        return owner_now(obj) == self.institution_value(institution)

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        form = super().get_form(request, *args, **kwargs)
        return type(form.__name__, (form,), {"request": request})

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Delete one by one: what follows from a deletion follows from each."""
        for record in queryset:
            with suppress(self.model.DoesNotExist):  # somebody else just did
                self.delete_model(request, record)


class RecordAdmin(PagesMixin, CalendarAdmin, SimpleHistoryAdmin):
    """List, search, history, and writes through services."""

    form: type[RecordForm]
    show_full_result_count = False
    list_per_page = 50
    search_fields = ("search_text",)
    search_help_text = "Words of the title or text, or an id."
    readonly_fields: ClassVar[tuple[str, ...]] = ("id", "created_at", "modified_at")
    object_history_template = "admin/calendar_events/history.html"
    object_history_list_template = "admin/calendar_events/history_list.html"

    class Media:
        css = {"all": ["calendar_events/desk.css"]}

    def create(self, *, actor: Actor, changes: Any, now: datetime) -> Any:
        """Write a new record through its service."""
        model: Any = self.model
        return records.create(model, actor=actor, changes=changes, now=now)

    def update(self, *, record: Any, actor: Actor, changes: Any, now: datetime) -> Any:
        """Write a record that is still as it was read, through its service."""
        return records.update(
            record, actor=actor, changes=changes, now=now, version=record.version
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let people change what the interface would let them change."""
        return super().has_change_permission(request, obj) and self._may(
            request, "change", obj
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let people delete what the interface would let them delete."""
        return super().has_delete_permission(request, obj) and self._may(
            request, "delete", obj
        )

    def _may(self, request: HttpRequest, verb: str, record: Any) -> bool:
        if record is None:
            return True
        actor = Actor(user=request.user, institution=record.institution)
        try:
            records.require(actor, verb, record)
        except NotAllowed:
            return False
        return True

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Let the institution be chosen once."""
        fixed = ["institution"] if obj else []
        return [*super().get_readonly_fields(request, obj), *fixed]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        """Search as the interface does, folded for case and accents; digits are an id."""
        return self.matching(queryset, search_term, by=self.having), False

    def matching(
        self, queryset: QuerySet, search_term: str, *, by: Callable[[str], Q]
    ) -> QuerySet:
        """Return the records that have every word, each by the condition ``by`` for it."""
        words = dict.fromkeys(text.fold(search_term).split())
        for word in islice(words, text.MAX_SEARCH_TERMS):
            condition = by(word)
            if word.isascii() and word.isdigit() and len(word) < 19:
                condition |= Q(pk=int(word))
            queryset = queryset.filter(condition)
        return queryset

    def having(self, word: str) -> Q:
        return Q(search_text__contains=word)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Write through the service; ``obj`` becomes what was written."""
        stored = form.stored
        now = timezone.now()
        with refused_as_forbidden():
            if stored is None:
                saved = self.create(actor=form.actor, changes=form.changes, now=now)
                if form.deletion is not None:
                    desk.note_restored(form.deletion, saved.pk)
            else:
                saved = self.update(
                    record=stored, actor=form.actor, changes=form.changes, now=now
                )
        obj.__dict__.clear()
        obj.__dict__.update(saved.__dict__)

    @problems_in_words
    def delete_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        return super().delete_view(request, object_id, extra_context)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        with refused_as_forbidden():
            actor = Actor(user=request.user, institution=obj.institution)
            records.delete(obj, actor=actor, now=timezone.now())

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the versions of a record; the library takes any text for its number."""
        if not is_id(object_id):
            raise Http404
        return super().history_view(request, object_id, extra_context)

    def get_historical_record_context_helper(
        self, request: HttpRequest, historical_record: Any
    ) -> Differences:
        is_platform = institution_of(request) is None
        left_out = frozenset() if is_platform else self.form.only_here
        return Differences(self.model, historical_record, left_out)

    def set_history_delta_changes(
        self, request: HttpRequest, historical_records: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Look up what is linked once for the whole page."""
        if self.model is Event:
            name_links(request, historical_records)
        super().set_history_delta_changes(request, historical_records, *args, **kwargs)

    @problems_in_words
    def history_form_view(
        self,
        request: HttpRequest,
        object_id: str,
        version_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Refuse to go back in history to who may only look; the library asks for less.

        Written in one transaction: the lock on a deletion lasts until it names what came
        of it.
        """
        if not (is_id(object_id) and is_id(version_id)):
            raise Http404
        show = super().history_form_view
        if request.method != "POST":
            return show(request, object_id, version_id, extra_context)
        if not self.has_change_permission(request):
            raise PermissionDenied
        with transaction.atomic():
            return show(request, object_id, version_id, extra_context)

    @problems_in_words
    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        return super().changeform_view(request, object_id, form_url, extra_context)
