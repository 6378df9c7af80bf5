"""``{events_root}/webhooks``: what a service key subscribes to (docs/webhooks.md).

Nothing here is open: every call needs the service, an institution and a user, and the user
the permission of the verb. A key meets its own subscriptions in the institution of the
credentials, and no others; those of another are not found.
"""

from typing import Any, ClassVar, Final

from django.utils.functional import cached_property
from django.views.decorators.debug import sensitive_variables
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api.access import actor_of
from calendar_events.api.base import EventsView
from calendar_events.api.schema.webhooks import WebhookAutoSchema
from calendar_events.conf import conf
from calendar_events.documents.webhooks import (
    MessageIdentifier,
    SecretDocument,
    WebhookDocument,
    WebhookList,
)
from calendar_events.models import WebhookSubscription
from calendar_events.parsing.slugs import identifier
from calendar_events.permissions import Actor
from calendar_events.serializers import bodies
from calendar_events.serializers.webhooks import WebhookChange, WebhookInput
from calendar_events.webhooks import deliveries, subscriptions
from platform_errors.errors.catalogue import NoSuchResource
from platform_errors.permissions import (
    RequiresInstitution,
    RequiresService,
    RequiresUser,
)

VERBS: Final = {
    **dict.fromkeys(("list", "retrieve", "deliveries"), "view"),
    "create": "add",
    "destroy": "delete",
}
"""The permission that an action needs; any other needs ``change``."""
LISTS: Final = frozenset({"types", "categories", "statuses"})
"""Fields of which a form may hold several under one name."""


class WebhookViewSet(EventsView):
    """The subscriptions of the caller's service key."""

    kind = "webhook"
    permission_classes = [
        RequiresService.named(conf.service),
        RequiresInstitution,
        RequiresUser,
    ]
    schema = WebhookAutoSchema()
    answers: ClassVar[dict[str, Any]] = {
        "list": WebhookList,
        "create": SecretDocument,
        "rotate": SecretDocument,
        "test": MessageIdentifier,
    }
    """Of actions that do not answer with a subscription alone."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Require the right before anything is looked up. Raises ``NoSuchResource``."""
        if not conf.encryption:
            raise NoSuchResource("there are no webhooks here")
        super().initial(request, *args, **kwargs)
        if self.action != "metadata":
            self.require_right()

    def list(self, request: Request) -> Response:
        """Answer with all of them; there are few (``WEBHOOKS_PER_KEY``)."""
        rows = self.get_queryset().order_by("pk")
        return self.answer(WebhookList({"webhooks": rows}, context=self.context))

    def retrieve(self, request: Request, pk: str) -> Response:
        """Answer with one."""
        return self.answer(WebhookDocument(self.get_object(), context=self.context))

    @sensitive_variables("secret")
    def create(self, request: Request) -> Response:
        """Subscribe: 201 with the secret, which is answered this once."""
        values = self.read_body(WebhookInput)
        with self.atomic():
            subscription, secret = subscriptions.create(
                actor=self.actor, values=values, now=self.now
            )
            response = self.with_secret(subscription, secret, status=201)
        response["Location"] = f"{conf.root_url}/webhooks/{subscription.pk}"
        return response

    def update(self, request: Request, pk: str) -> Response:
        """Change what is sent, and nothing else; POST, PUT and PATCH are the same."""
        subscription = self.get_object()
        values = self.read_body(WebhookChange, subscription)
        with self.atomic():
            subscriptions.change(
                subscription, actor=self.actor, values=values, now=self.now
            )
        return self.answer(WebhookDocument(subscription, context=self.context))

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete it with its messages; the answer is the subscription as it was."""
        subscription = self.get_object()
        document = WebhookDocument(subscription, context=self.context)
        response = self.answer(document)
        with self.atomic():
            subscriptions.delete(subscription, actor=self.actor)
        return response

    @sensitive_variables("secret")
    def rotate(self, request: Request, pk: str) -> Response:
        """Answer with a new secret; the one before is valid for a while."""
        subscription = self.get_object()
        with self.atomic():
            secret = subscriptions.rotate(subscription, actor=self.actor, now=self.now)
        return self.with_secret(subscription, secret)

    def test(self, request: Request, pk: str) -> Response:
        """Have a test sent: 202 with the identifier of the message."""
        subscription = self.get_object()
        with self.atomic():
            message = deliveries.send_test(subscription, actor=self.actor, now=self.now)
        return self.answer(MessageIdentifier(message), status=202)

    @cached_property
    def actor(self) -> Actor:
        """Return who calls, and where."""
        return actor_of(self.request)

    @property
    def context(self) -> dict[str, Any]:
        """Return what documents and bodies look at."""
        return {"actor": self.actor, "now": self.now}

    def require_right(self) -> None:
        """Require the right to do what the action does. Raises ``NotAllowed``."""
        subscriptions.require(self.actor, VERBS.get(str(self.action), "change"))

    def get_queryset(self) -> Any:
        """Return the caller's own."""
        return WebhookSubscription.objects.of(
            client_id=self.actor.client_id, institution=self.actor.institution
        )

    def get_object(self) -> Any:
        """Return the one that the path names. Raises ``DoesNotExist``."""
        pk = identifier(str(self.kwargs["pk"]))
        record = self.get_queryset().get(pk=pk)
        if self.request.method not in SAFE_METHODS:
            self.check_object_permissions(self.request, record)
        return record

    def read_body(self, serializer_class: Any, instance: Any = None) -> dict[str, Any]:
        """Return the values of a valid body. Raises ``ValidationError``."""
        body = bodies.read(self.request, lists=LISTS)
        serializer = serializer_class(
            instance, data=body, partial=instance is not None, context=self.context
        )
        serializer.is_valid(raise_exception=True)
        values: dict[str, Any] = serializer.validated_data
        return values

    @sensitive_variables()
    def with_secret(self, row: Any, secret: str, *, status: int = 200) -> Response:
        """Return the answer that names the secret."""
        row.secret = secret
        return self.answer(SecretDocument(row, context=self.context), status=status)

    def answer(self, document: Any, *, status: int = 200) -> Response:
        """Return an answer that nobody stores."""
        headers = {"Cache-Control": "no-store"}
        return Response(document.data, status=status, headers=headers)
