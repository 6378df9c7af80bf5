"""Webhooks of an institution, and the messages to them: what was sent, and the answers.

Service keys make their subscriptions by the interface, which shows the secret once. Nothing
here shows it, and no address is changed here: that would send what one may read to others.
"""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from calendar_events.admin.base import CalendarAdmin
from calendar_events.admin.institutions import InstitutionFilter, registry_id_of
from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.webhooks import subscriptions
from institution_admin import InstitutionScopedAdmin, bulk
from institution_admin.filters import FewRelatedFilter

STATES = WebhookSubscription.Status


class OnlyActions(InstitutionScopedAdmin):
    """Rows that nobody makes or changes by hand; actions do something with them."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody adds by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let actions be used; nothing in a row is changed by hand."""
        return obj is None and super().has_change_permission(request)


@admin.register(WebhookSubscription)
class WebhookSubscriptionAdmin(OnlyActions, CalendarAdmin):
    """Subscriptions of service keys."""

    list_display = (
        *("url", "client_id", "institution", "status", "disabled_reason"),
        *("failing_since", "last_success_at"),
    )
    list_filter = ("status", "disabled_reason", InstitutionFilter)
    search_fields = ("url", "client_id", "description")
    ordering = ("-id",)
    actions = ("send_test", "enable", "disable")
    fields = (
        *("url", "description", "client_id", "institution", "status", "disabled_reason"),
        *("types", "only_institution", "categories", "statuses", "messages_to_it"),
        *("failing_since", "last_success_at", "previous_secret_until", "created_at"),
    )
    readonly_fields = fields

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let its messages go with a subscription, which nobody deletes by hand."""
        *found, needed, protected = super().get_deleted_objects(objs, request)
        messages_ = {str(WebhookDelivery._meta.verbose_name)}
        return [*found, set(needed) - messages_, protected]

    @admin.display(description="messages")
    def messages_to_it(self, row: WebhookSubscription) -> str:
        """Return the link to its messages."""
        page = reverse("admin:calendar_events_webhookdelivery_changelist")
        query = f"{page}?subscription__id__exact={row.pk}"
        return format_html('<a href="{}">Messages of the last days</a>', query)

    @admin.action(description="Send a test", permissions=["change"])
    def send_test(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Have a test sent to each that is active."""
        active = queryset.filter(status=STATES.ACTIVE)
        for subscription in active:
            subscriptions.queue_test(subscription, now=timezone.now())
        left = {"Disabled, and not tested": queryset.exclude(status=STATES.ACTIVE).count()}
        bulk.report(request, "Tests that will be sent", len(active), left)

    @admin.action(description="Make active", permissions=["change"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Let each go on where it stopped."""
        self._switch(request, queryset, to=STATES.ACTIVE)

    @admin.action(description="Disable", permissions=["change"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Send nothing more, until each is made active."""
        self._switch(request, queryset, to=STATES.DISABLED)

    def _switch(self, request: HttpRequest, queryset: QuerySet[Any], *, to: Any) -> None:
        rows = list(queryset.exclude(status=to))
        for subscription in rows:
            subscriptions.switch(subscription, to=to, now=timezone.now())
            self.log_change(request, subscription, f"Changed status to {to.label}.")
        messages.success(request, f"{to.label} now: {len(rows)}.")


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
        *("created_at", "attempted_at", "milliseconds", "request"),
        *("answer_status", "answer", "error"),
    )
    readonly_fields = fields

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
        """Send what was delivered or given up once more, under the same identifier."""
        count = subscriptions.send_again(queryset, now=timezone.now())
        messages.success(request, f"Messages that will be sent again: {count}.")
