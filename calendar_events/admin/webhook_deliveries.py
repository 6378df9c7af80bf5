"""Messages to webhooks: what was sent, and every answer of the last days."""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html

from calendar_events.admin.institutions import registry_id_of
from calendar_events.admin.internals import OnlyActions
from calendar_events.models import WebhookAttempt, WebhookDelivery
from calendar_events.webhooks import deliveries
from institution_admin import InstitutionScopedInline
from institution_admin.filters import FewRelatedFilter


class AttemptInline(InstitutionScopedInline):
    """Each time that a message was sent; there are few (``turns.KEPT_ATTEMPTS``)."""

    institution_path = "delivery__subscription__institution"
    model = WebhookAttempt
    verbose_name_plural = "attempts"
    ordering = ("-id",)
    fields = ("at", "url", "milliseconds", "answer_status", "answer", "error")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def institution_value(self, institution: Any) -> str:
        """Return the identifier; of another project's institutions, their text."""
        return registry_id_of(institution)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Show them to those who may see the message."""
        return True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(OnlyActions):
    """Messages of the last days."""

    institution_path = "subscription__institution"
    list_display = (
        *("message_id", "type", "record", "subscription", "state", "attempts"),
        *("answer_status", "milliseconds", "created_at", "next_attempt_at"),
    )
    list_select_related = ("subscription",)
    list_filter = ("state", ("subscription", FewRelatedFilter), "created_at")
    search_fields = ("message_id__exact", "type__exact")
    search_help_text = "A whole identifier of a message, or a type such as event.created."
    ordering = ("-id",)
    actions = ("send_again",)
    fields = (
        *("message_id", "type", "subscription", "state", "attempts", "next_attempt_at"),
        *("created_at", "request"),
    )
    readonly_fields = fields
    inlines = (AttemptInline,)

    def institution_value(self, institution: Any) -> str:
        """Return the identifier; of another project's institutions, their text."""
        return registry_id_of(institution)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes by hand; ``clear_expired`` does."""
        return False

    @admin.display(description="request")
    def request(self, row: WebhookDelivery) -> str:
        """Return what was sent, set out for people."""
        return format_html("<pre>{}</pre>", json.dumps(json.loads(row.payload), indent=2))

    @admin.action(description="Send again", permissions=["change"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Send messages once more, under the same identifiers."""
        count = deliveries.send_again(queryset, now=timezone.now())
        messages.success(request, f"Messages that will be sent again: {count}.")
