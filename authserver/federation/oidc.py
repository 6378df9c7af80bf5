"""OpenID Connect as django-allauth does it, with what it leaves to others.

Overridden: where discovery comes from (checked and kept), ``nonce`` and the ``iss`` of the
answer (RFC 9207), ID tokens (always verified), our own addresses (``PUBLIC_URL``, never the
Host header). ``SOCIALACCOUNT_PROVIDERS`` names the class of the provider.
"""

import hashlib
import math
from typing import Any

from allauth.socialaccount.models import SocialApp, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest
from django.urls import reverse

from authserver.conf import conf
from authserver.federation import arrivals, claims, discovery, id_tokens, outgoing
from authserver.federation.claims import Claims
from authserver.federation.refusals import ArrivalRefused

MOST_OF_A_CODE = 4096
MOST_SECONDS = 2**40
"""Of a moment; whole numbers of JSON have no end."""


def nonce_of(code_verifier: str) -> str:
    """Return the nonce of a trip: whoever knows it cannot tell the verifier."""
    return hashlib.sha256(f"nonce {code_verifier}".encode()).hexdigest()


class IssuerAdapter(OpenIDConnectOAuth2Adapter):
    """The endpoints of one issuer, and its answers."""

    nonce = ""

    @property
    def openid_config(self) -> dict[str, Any]:
        """The discovery document. Raises as ``discovery.configuration``."""
        issuer: str = self.get_provider().app.settings["server_url"]
        return discovery.configuration(issuer)

    @property
    def basic_auth(self) -> bool:
        """Whether the secret goes by HTTP Basic, the default of the specification."""
        known = self.openid_config.get("token_endpoint_auth_methods_supported")
        return known is None or "client_secret_post" not in known

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address that the issuer sends people back to."""
        return callback_url(self.provider_id)

    def get_access_token_data(
        self,
        request: HttpRequest,
        app: SocialApp,
        client: Any,
        pkce_code_verifier: str | None = None,
    ) -> dict[str, Any]:
        """Redeem the code, if it is this issuer's, of a trip with PKCE.

        Raises ``ArrivalRefused``, ``OAuth2Error`` and ``requests.RequestException``.
        """
        self._require_issuer(request.GET.get("iss"))
        if not pkce_code_verifier or len(request.GET["code"]) > MOST_OF_A_CODE:
            raise ArrivalRefused("answer_invalid")
        self.nonce = nonce_of(pkce_code_verifier)
        try:
            answer = super().get_access_token_data(
                request, app, client, pkce_code_verifier=pkce_code_verifier
            )
        except (ValueError, TypeError, RecursionError) as error:
            raise OAuth2Error("the token response is not JSON") from error
        if not isinstance(answer, dict) or not isinstance(answer["access_token"], str):
            raise OAuth2Error("the token response is no object")
        return {name: answer.get(name) for name in ("access_token", "id_token")}

    def _require_issuer(self, said: str | None) -> None:
        """Refuse an answer that another issuer gave (RFC 9207)."""
        document = self.openid_config
        is_promised = document.get("authorization_response_iss_parameter_supported") is True
        if said is None and not is_promised:
            return
        if said != document["issuer"]:
            raise ArrivalRefused("issuer_wrong")

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> Any:
        """Return the login of the verified subject.

        Raises ``ArrivalRefused`` and ``requests.RequestException``.
        """
        document = self.openid_config
        id_token = id_tokens.verified(
            kwargs["response"]["id_token"],
            document=document,
            client_id=app.client_id,
            nonce=self.nonce,
        )
        userinfo: dict[str, Any] = {}
        if address := document.get("userinfo_endpoint"):
            headers = {"Authorization": f"Bearer {token.token}"}
            userinfo = outgoing.get_json(address, headers=headers)
            if userinfo.get("sub") != id_token["sub"]:
                raise ArrivalRefused("answer_invalid")
        data = {"id_token": id_token, "userinfo": userinfo}
        return self.get_provider().sociallogin_from_response(request, data)


class IssuerProvider(OpenIDConnectProvider):
    """One issuer of one institution."""

    package = "allauth.socialaccount.providers.openid_connect"
    oauth2_adapter_class = IssuerAdapter
    pkce_enabled_default = True
    leeway = id_tokens.LEEWAY_SECONDS
    arrived: Claims = {}
    authenticated_at: float | None = None

    def get_callback_url(self) -> str:
        """Return the address that the issuer sends people back to."""
        return callback_url(self.app.provider_id)

    def get_pkce_params(self) -> dict[str, Any]:
        """Add the nonce, which is made of what only this trip knows."""
        params: dict[str, Any] = super().get_pkce_params()
        return {**params, "nonce": nonce_of(params["code_verifier"])}

    def asking_anew(self) -> dict[str, Any]:
        """Return what ``redirect`` takes to have the person asked again."""
        anew = {"prompt": "login", "max_age": "0"}
        return {"auth_params": {**self.get_auth_params(), **anew}}

    def extract_uid(self, data: dict[str, Any]) -> str:
        """Return the subject, and never anything that may change hands."""
        return arrivals.uid_of(data["id_token"]["sub"])

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Keep the claims for this request, and store none of them."""
        self.arrived = claims.flatten(data["userinfo"], data["id_token"])
        self.authenticated_at = _moment(data["id_token"].get("auth_time"))
        return {}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave the fields of the account to the institution's mapping."""
        return {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        """Leave mail addresses to the mapping: none of them finds an account."""
        return []


def _moment(said: object) -> float | None:
    """Return a moment that an issuer states, if it is one (Unix time)."""
    if isinstance(said, bool) or not isinstance(said, (int, float)):
        return None
    return float(said) if abs(said) < MOST_SECONDS and math.isfinite(said) else None


def callback_url(provider_id: str) -> str:
    """Return the redirect address to register with the issuer."""
    return f"{conf.issuer}{reverse('authserver:oidc-callback', args=[provider_id])}"
