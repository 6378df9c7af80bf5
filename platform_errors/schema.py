"""OpenAPI: the two ways to authenticate, the error documents, the identity service.

Loaded where drf-spectacular is installed; nothing else of this app needs it.
"""

from typing import Any

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiViewExtension,
)
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_serializer,
)
from rest_framework import serializers

from platform_errors.conf import conf


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """``Authorization: Bearer tk_…`` (RFC 6750), pasted, or got by the OAuth 2.0 flow."""

    target_class = "platform_errors.authentication.BearerAuthentication"
    name = ["bearer", "oauth2"]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        """Either of the two; without addresses of a server there is no flow."""
        names = self.name if conf.oauth2_endpoints else self.name[:1]
        return [{name: []} for name in names]

    def get_security_definition(self, auto_schema: Any) -> Any:
        """Describe the schemes."""
        bearer = {"type": "http", "scheme": "bearer", "description": "An access token."}
        addresses = conf.oauth2_endpoints
        if not addresses:
            return [bearer]
        flow = {
            "authorizationUrl": addresses["authorization"],
            "tokenUrl": addresses["token"],
            "refreshUrl": addresses["token"],
            "scopes": dict(addresses.get("scopes", {})),
        }
        description = "Authorization code with PKCE (S256)."
        return [
            bearer,
            {
                "type": "oauth2",
                "description": description,
                "flows": {"authorizationCode": flow},
            },
        ]


class HmacScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Signed requests (spec 5.2); OpenAPI knows no scheme that is an address."""

    target_class = "platform_errors.authentication.HmacAuthentication"
    name = "hmac"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """Describe the header, since that is as close as OpenAPI comes."""
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": (
                "A request signed with the secret of a service key: the scheme identifier, "
                'then clientId="…", timestamp="…", nonce="…", signature="…" and, for a '
                'user, principalID="…", principalIDNS="…".'
            ),
        }


class CauseSerializer(serializers.Serializer[Any]):
    """Why a request was refused, for programs; a signature's lines, for people."""

    reason = serializers.CharField(
        help_text="The cause: a word of docs/errors.md, also in the header `x-svc-Reason`."
    )
    canonical_request = serializers.CharField(
        required=False,
        help_text="With `signature_invalid` of a known key: the lines from the method on.",
    )
    string_to_sign = serializers.CharField(
        required=False, help_text="With the same: all the lines that the server signed."
    )


@extend_schema_serializer(component_name="PlatformError")
class PlatformErrorSerializer(CauseSerializer):
    """The error document of the platform services (spec 2.7).

    In XML it is `code`, `message` and `detail` alone.
    """

    code = serializers.IntegerField(help_text="The HTTP status.")
    message = serializers.CharField(help_text="The short text of the contract.")
    detail = serializers.CharField(help_text="The cause.")


class IdentityServiceSerializer(serializers.Serializer[Any]):
    """A service on the caller's key."""

    code = serializers.CharField(help_text="The scope that asks for the service.")
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=["active", "canceled", "expired"])
    expires = serializers.CharField(
        allow_blank=True, help_text="`YYYY-MM-DD HH:MM:SSZ`, or empty."
    )


@extend_schema_serializer(component_name="Identity")
class IdentitySerializer(serializers.Serializer[Any]):
    """Who the caller is."""

    clientId = serializers.CharField()  # noqa: N815 -- the contract's name
    services = IdentityServiceSerializer(many=True)
    contextInstitutionId = serializers.CharField(  # noqa: N815 -- the contract's name
        allow_blank=True,
        help_text="Empty for a key with several institutions when none was named.",
    )
    institutions = serializers.ListField(child=serializers.CharField())
    principalID = serializers.CharField(allow_blank=True)  # noqa: N815 -- as above
    principalIDNS = serializers.CharField(allow_blank=True)  # noqa: N815 -- as above
    serverTime = serializers.IntegerField(  # noqa: N815 -- as above
        help_text="Unix seconds, to compare a client's clock with."
    )


def _errors(*statuses: int) -> dict[tuple[int, str], Any]:
    return {
        (status, media_type): PlatformErrorSerializer
        for status in statuses
        for media_type in ("application/xml", "application/json")
    }


class DescribedIdentity(OpenApiViewExtension):  # type: ignore[no-untyped-call]
    """The identity service."""

    target_class = "platform_errors.views.Identity"

    def view_replacement(self) -> Any:
        """Describe its one method."""

        @extend_schema(
            operation_id="identity",
            tags=["identity"],
            parameters=[
                OpenApiParameter(
                    "contextInstitutionId", str, description="Whose data is asked for."
                ),
                OpenApiParameter("principalID", str, description="The acting user."),
                OpenApiParameter(
                    "principalIDNS", str, description="The namespace of principalID."
                ),
            ],
            responses={
                (200, "application/xml"): IdentitySerializer,
                (200, "application/json"): IdentitySerializer,
                **_errors(400, 401, 403, 405, 406),
            },
        )
        def get(view: Any, request: Any) -> Any:
            return self.target.get(view, request)

        return type(self.target.__name__, (self.target,), {"get": get})
