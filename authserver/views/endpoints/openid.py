"""OpenID Connect's endpoints: user info, discovery, and the end of the session."""

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from oauth2_provider.exceptions import InvalidIDTokenError, InvalidOIDCClientError
from oauth2_provider.models import AbstractApplication
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.oidc import RPInitiatedLogoutView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from authserver.accounts import signing_in
from authserver.models import IDENTITY_SCOPES, OPENID_SCOPE, ServiceKey, User
from authserver.oauth import openid
from authserver.oauth.dialect import ENDPOINT
from authserver.views.endpoints.metadata import Metadata, address, metadata
from authserver.views.pages.base import Page, message
from platform_errors.authentication import BearerAuthentication
from platform_errors.errors import catalogue
from platform_errors.errors.dialects import Dialect
from platform_errors.permissions import (
    RequiresCredentials,
    RequiresInstitution,
    RequiresUser,
    require_credentials,
    require_user,
)


def require_openid() -> None:
    """Raise ``NoSuchResource`` unless the server has keys that sign ID tokens."""
    if not oauth2_settings.OIDC_ENABLED:
        raise catalogue.NoSuchResource("this server has no OpenID Connect")


class UserInfo(APIView):
    """``GET`` or ``POST {auth_url}/userinfo``: the claims of the token's user.

    The toolkit's view asks its own validator, which looks tokens up in the clear.
    """

    error_dialect: ClassVar[Dialect] = ENDPOINT
    authentication_classes = [BearerAuthentication]
    permission_classes = [RequiresCredentials, RequiresInstitution, RequiresUser]
    renderer_classes = [JSONRenderer]
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        require_openid()
        super().initial(request, *args, **kwargs)

    def get(self, request: Request) -> Response:
        """Answer a token that was granted ``openid`` (Core 1.0 section 5.3)."""
        credentials = require_credentials(request)
        scopes = credentials.scopes or frozenset()
        if OPENID_SCOPE not in scopes:
            raise catalogue.TokenLacksService(scope=OPENID_SCOPE)
        user = User.objects.select_related("institution").get(
            pk=require_user(credentials).user.pk
        )
        return Response(
            openid.claims_of(user, scopes), headers={"Cache-Control": "no-store"}
        )

    def post(self, request: Request) -> Response:
        """Answer like ``get``, as the specification asks."""
        return self.get(request)


class Discovery(Metadata):
    """``GET /.well-known/openid-configuration`` (OpenID Connect Discovery 1.0)."""

    def get(self, request: HttpRequest) -> HttpResponse:
        require_openid()
        return super().get(request)

    def describe(self) -> dict[str, Any]:
        """Add to the metadata of RFC 8414 what OpenID Connect has besides."""
        members = metadata(self.services)
        members["scopes_supported"] = [
            *IDENTITY_SCOPES,
            *members.get("scopes_supported", []),
        ]
        return members | {
            "userinfo_endpoint": address("userinfo"),
            "jwks_uri": address("jwks"),
            "end_session_endpoint": address("end-session"),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [openid.ALGORITHM],
            "claims_supported": [
                *(
                    "iss",
                    "aud",
                    "iat",
                    "exp",
                    "auth_time",
                    "amr",
                    "acr",
                    "nonce",
                    "at_hash",
                ),
                *(claim for claims in openid.CLAIMS.values() for claim in claims),
            ],
            "acr_values_supported": [signing_in.REFEDS_SFA, signing_in.REFEDS_MFA],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "claims_parameter_supported": False,
            "request_parameter_supported": False,
            "request_uri_parameter_supported": False,
        }


class EndSession(Page, RPInitiatedLogoutView):
    """``{auth_url}/end-session`` (RP-Initiated Logout 1.0), by the toolkit's view.

    The view finds ID tokens by rows that are not kept here, so the hint is verified by its
    signature; whatever it refuses is said on a page of ours.
    """

    template_name = "authserver/end_session.html"

    def validate_logout_request_user(
        self, id_token_hint: str | None, client_id: str | None
    ) -> Any:
        """Return key and user of the hint, as the toolkit's view reads them.

        Raises ``InvalidIDTokenError``.
        """
        if not id_token_hint:
            return None
        claims = openid.read_id_token(id_token_hint) or {}
        key = ServiceKey.objects.filter(client_id=claims.get("aud", "")).first()
        if key is None or client_id not in {None, "", key.client_id}:
            raise InvalidIDTokenError
        return _Hint(key, self._user_of(claims))

    def _user_of(self, claims: dict[str, Any]) -> User | None:
        """Return who is signed in, if the hint is about them; else a page asks."""
        user = self.request.user
        is_theirs = isinstance(user, User) and openid.subject_of(user) == claims.get("sub")
        return user if isinstance(user, User) and is_theirs else None

    def get_request_application(
        self, id_token: Any, client_id: str | None
    ) -> ServiceKey | None:
        """Return the key that asks. Raises ``InvalidOIDCClientError``."""
        if not client_id:
            return id_token.application if id_token else None
        key = ServiceKey.objects.filter(client_id=client_id.replace("\0", "")).first()
        if key is None:
            raise InvalidOIDCClientError
        return key

    def do_logout(
        self,
        application: AbstractApplication | None = None,
        post_logout_redirect_uri: str | None = None,
        state: str | None = None,
        token_user: User | None = None,
    ) -> HttpResponse:
        """End the session; go to the registered address, or to the page that says so."""
        response: HttpResponse = super().do_logout(
            application, post_logout_redirect_uri, state, token_user
        )
        if post_logout_redirect_uri:
            return response
        return HttpResponseRedirect(reverse("authserver:logout"))

    def error_response(self, error: Any) -> HttpResponse:
        return message(self.request, "end_session_error", error.status_code)


class _Hint:
    """What the toolkit's view reads of a stored ID token."""

    def __init__(self, application: ServiceKey, user: User | None) -> None:
        self.application = application
        self.user = user
