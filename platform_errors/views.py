"""The identity service, and the answer for addresses where nothing lives (decisions 6)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from platform_errors.authentication import BearerAuthentication, HmacAuthentication
from platform_errors.errors import catalogue, dialects
from platform_errors.permissions import (
    RequiresCredentials,
    RequiresInstitution,
    RequiresUser,
    require_credentials,
)
from platform_errors.renderers import QualityNegotiation, XmlRenderer

if TYPE_CHECKING:
    from rest_framework.request import Request

    from platform_errors.credentials import Credentials, Service


class PlatformView(APIView):
    """A view of an API: what it answers depends on form and caller (decisions 6)."""

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
