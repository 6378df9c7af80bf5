"""A button that makes a new draft of an event."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import HttpResponseNotAllowed, HttpResponseRedirect
from django.utils import timezone

from calendar_events.admin.base import refused_as_forbidden
from calendar_events.admin.pages import RecordPages
from calendar_events.api import idempotency
from calendar_events.api.idempotency import Claim, KeyUnreadable
from calendar_events.models import Status
from calendar_events.permissions import Actor
from calendar_events.services.copying import copy_event
from calendar_events.services.refusals import InTrash

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class CopiedEvents(RecordPages):
    """Duplicates, of which a repeated click makes one."""

    def get_urls(self) -> list[Any]:
        route = "<str:object_id>/duplicate/"
        return [self.page(route, self.duplicate_view, "duplicate"), *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Offer the button, with a key by which a repeated click is known."""
        record = kwargs.get("obj")
        may_add = self.has_add_permission(request)
        if record is not None and may_add and record.status != Status.TRASH:
            context["duplicate_url"] = self.address("duplicate", record.pk)
            context["duplicate_key"] = secrets.token_urlsafe(16)
        return super().render_change_form(request, context, *args, **kwargs)

    def duplicate_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Make a draft like the event, and open it."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        event = self.find(request, object_id)
        if not self.has_add_permission(request):
            raise PermissionDenied
        try:
            claim = idempotency.claim(
                key=request.POST.get("key", ""),
                client_id="",
                user_id=int(request.user.pk or 0),
                path=f"admin/duplicate/{event.pk}",
                body={},
            )
            draft = self._once(request, event, claim)
        except (KeyUnreadable, InTrash, self.model.DoesNotExist):
            messages.error(request, "Nothing was duplicated. Look at the event again.")
            return HttpResponseRedirect(self.address("change", event.pk))
        messages.success(request, "This is the duplicate: a draft of yours, to be changed.")
        return HttpResponseRedirect(self.address("change", draft))

    def _once(self, request: HttpRequest, event: Any, claim: Claim) -> str:
        """Return the identifier of the draft, which the first click makes.

        Raises what ``copy_event`` raises, but for ``PermissionDenied``.
        """
        actor = Actor(user=request.user, institution=event.institution)
        try:
            with refused_as_forbidden(), transaction.atomic():
                idempotency.take(claim)
                draft = copy_event(actor=actor, pk=event.pk, now=timezone.now())
                idempotency.keep(claim, status=302, headers={}, answer=str(draft.pk))
                return str(draft.pk)
        except IntegrityError:
            earlier = idempotency.earlier_answer(claim)
            if earlier is None:
                raise
            return earlier.answer
