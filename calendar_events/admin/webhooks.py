"""Webhooks of an institution.

Service keys subscribe by the interface, people here; both are shown the secret once. No
address is changed here: that would send what one may read to others.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.debug import sensitive_variables

from calendar_events.admin.base import CalendarAdmin
from calendar_events.admin.forms import OrderedChoices
from calendar_events.admin.institutions import (
    InstitutionFilter,
    offer,
    own,
)
from calendar_events.admin.internals import OnlyActions
from calendar_events.conf import conf
from calendar_events.models import Event, WebhookDelivery, WebhookSubscription
from calendar_events.models.webhooks import TYPES, all_of_events, published_only
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.serializers.webhooks import STATUSES
from calendar_events.services.changesets import InvalidFields
from calendar_events.webhooks import audience, deliveries, subscriptions
from institution_admin import bulk

STATES = WebhookSubscription.Status
NO_ACCESS = "There is no such key, or it has no access to the calendar of the institution."


def several(words: Any, initial: list[str], help_text: str = "") -> forms.Field:
    """Return the choice of some of a few words."""
    return forms.MultipleChoiceField(
        choices=[(word, word) for word in words],
        initial=initial,
        help_text=help_text,
        widget=forms.CheckboxSelectMultiple,
    )


class SubscriptionForm(forms.ModelForm):
    """A new subscription; what the interface would refuse is refused here."""

    request: HttpRequest
    types = several(TYPES, all_of_events())
    statuses = several(
        STATUSES,
        published_only(),
        "Others than publish are told of the institution's own records alone.",
    )
    categories = OrderedChoices(Event, "terms", label="Categories")

    class Meta:
        model = WebhookSubscription
        fields = (
            *("client_id", "institution", "url", "description", "types"),
            *("only_institution", "categories", "statuses"),
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer the institutions whose subscriptions the user may make."""
        super().__init__(*args, **kwargs)
        offer(self.fields, own(self.request))
        categories: Any = self.fields.get("categories")  # a stored one is only shown
        if categories is not None:
            categories.keep_to(self.request)
            categories.help_text = "Only events in one of them or under them."

    @property
    def actor(self) -> Actor:
        """Return who subscribes, and through which key."""
        return Actor(
            user=self.request.user,
            institution=self.cleaned_data["institution"],
            client_id=self.cleaned_data["client_id"],
        )

    @property
    def values(self) -> dict[str, Any]:
        """Return what the subscription is to be."""
        named = SubscriptionForm.Meta.fields[2:]  # without the key and its institution
        return {name: self.cleaned_data[name] for name in named}

    def clean_categories(self) -> list[int]:
        """Return the identifiers, as the column has them."""
        return [category.pk for category in self.cleaned_data["categories"]]

    def clean(self) -> dict[str, Any]:
        """Require what the interface requires of a key, an address and filters."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        actor = self.actor
        row = WebhookSubscription(
            client_id=actor.client_id, institution=actor.institution, **self.values
        )
        if not audience.has_access(row, timezone.now()):
            self.add_error("client_id", NO_ACCESS)
            return cleaned
        try:
            subscriptions.check(row, actor, self.values)
            subscriptions.require_room(row)
        except InvalidFields as error:
            for name, reason in error.reasons.items():
                self.add_error(name, f"{name.capitalize()} {reason}")
        except NotAllowed as error:
            self.add_error("statuses", str(error))
        except subscriptions.TooManySubscriptions:
            self.add_error("client_id", "The key may not have more subscriptions here.")
        return cleaned


@admin.register(WebhookSubscription)
class WebhookSubscriptionAdmin(OnlyActions, CalendarAdmin):
    """Subscriptions of service keys."""

    form = SubscriptionForm
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
        *("failing_since", "paused_until", "last_success_at", "previous_secret_until"),
        "created_at",
    )

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Let people subscribe a key, where secrets can be encrypted."""
        return bool(conf.encryption) and CalendarAdmin.has_add_permission(
            self, request, *args
        )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show all of a subscription; ask for what a new one needs."""
        return self.fields if obj else SubscriptionForm.Meta.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Let nothing of a subscription be changed."""
        return self.fields if obj else ()

    @sensitive_variables("secret")
    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Subscribe through the service; ``obj`` becomes what was written."""
        try:
            saved, secret = subscriptions.create(
                actor=form.actor, values=form.values, now=timezone.now()
            )
        except subscriptions.TooManySubscriptions as error:  # since the form was read
            raise PermissionDenied from error
        obj.__dict__.update(saved.__dict__)
        obj.secret = secret

    @sensitive_variables()
    def response_add(
        self, request: HttpRequest, obj: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the secret, this once."""
        page = reverse("admin:calendar_events_webhooksubscription_change", args=[obj.pk])
        return TemplateResponse(
            request,
            "admin/calendar_events/webhook_secret.html",
            {
                **self.admin_site.each_context(request),
                "title": "The secret of the webhook",
                "opts": self.opts,
                "webhook": obj,
                "secret": obj.secret,
                "change_url": page,
            },
            headers={"Cache-Control": "no-store"},
        )

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
            deliveries.queue_test(subscription, now=timezone.now())
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
