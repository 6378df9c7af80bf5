"""The identity service, and the answer for addresses where nothing lives (decisions 6)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar, NoReturn

from django.db import transaction
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from platform_errors.authentication import BearerAuthentication, HmacAuthentication
from platform_errors.credentials import Credentials, Service
from platform_errors.errors import catalogue, dialects
from platform_errors.permissions import (
    RequiresCredentials,
    RequiresInstitution,
    RequiresUser,
    require_credentials,
)
from platform_errors.renderers import QualityNegotiation, XmlRenderer


class PlatformView(APIView):
    """A view of an API: what it answers depends on form and caller (decisions 6).

    Where the caller accepts none of the view's representations, a success becomes 406
    (spec 7.4). Not at once: whatever stands in the way of a success comes first, and errors
    have a format of their own. A view that writes does so ``with self.atomic():``, so that
    a write that could not be answered is not made.
    """

    not_acceptable: catalogue.NotAcceptable | None = None

    def perform_content_negotiation(
        self,
        request: Request,
        force: bool = False,  # noqa: FBT001, FBT002 -- DRF's signature
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer that the caller wants, or the first until it matters."""
        chosen: tuple[BaseRenderer, str]
        try:
            chosen = super().perform_content_negotiation(request, force)
        except catalogue.NotAcceptable as error:
            self.not_acceptable = error
            chosen = super().perform_content_negotiation(request, force=True)
        return chosen

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Write in a transaction, which a caller who accepts no answer of ours undoes.

        Raises ``NotAcceptable`` at its end.
        """
        with transaction.atomic():
            yield
            if self.not_acceptable is not None:
                raise self.not_acceptable

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Put 406 in place of a success that the caller does not accept."""
        if self.not_acceptable is not None and 200 <= response.status_code < 300:
            response = self.handle_exception(self.not_acceptable)
        return super().finalize_response(request, response, *args, **kwargs)

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Add ``Vary`` to what DRF puts on every answer, ``OPTIONS`` included."""
        headers: dict[str, str] = super().default_response_headers
        return {**headers, "Vary": "Accept, Authorization"}


class Identity(PlatformView):
    """Who the caller is: how a client's developer finds out why a request is refused.

    Needs credentials, but no service on the key and no user.
    """

    error_dialect: ClassVar[dialects.Dialect] = dialects.PLATFORM
    xml_root = "identity"
    authentication_classes = [BearerAuthentication, HmacAuthentication]
    permission_classes = [
        RequiresCredentials,
        RequiresInstitution.with_open_reads(),
        RequiresUser.with_open_reads(),
    ]
    content_negotiation_class = QualityNegotiation
    renderer_classes = [XmlRenderer, JSONRenderer]

    def get(self, request: Request) -> Response:
        """Say who the caller is."""
        members = identity_members(require_credentials(request), now=datetime.now(UTC))
        return Response(members, headers={"Cache-Control": "private, no-cache"})

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Answer with ``Allow`` alone: DRF's own words would look like an identity."""
        return Response(status=204)


def identity_members(credentials: Credentials, *, now: datetime) -> dict[str, Any]:
    """Return the members of the identity document, in their order."""
    key, principal = credentials.key, credentials.principal
    return {
        "clientId": key.client_id,
        "services": [_service(service, now) for _, service in sorted(key.services.items())],
        "contextInstitutionId": credentials.institution or "",
        "institutions": sorted(key.institutions),
        "principalID": principal.identifier if principal else "",
        "principalIDNS": principal.namespace if principal else "",
        "serverTime": int(now.timestamp()),
    }


def _service(service: Service, now: datetime) -> dict[str, str]:
    """Return one service; ``expires`` is empty when it does not, else as in spec 2.2."""
    expires = service.expires_at
    return {
        "code": service.code,
        "name": service.name,
        "status": service.status_at(now),
        "expires": f"{expires.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}" if expires else "",
    }


class NoSuchResource(APIView):
    """The end of an API mount's routes: 404 in the mount's own dialect, for any method.

    Route to it last: ``re_path("", NoSuchResource.as_view(error_dialect=...))``.
    """

    error_dialect: dialects.Dialect = dialects.PLATFORM
    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse before DRF looks at method, credentials or representation."""
        raise catalogue.NoSuchResource("nothing lives at this address")

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Leave out ``Allow``: there is nothing here to allow a method on."""
        return {}
