"""What django-allauth asks about people who arrive (``SOCIALACCOUNT_ADAPTER``)."""

from typing import Any

import requests
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.http import HttpRequest

from authserver.accounts import signing_in
from authserver.authorization import session
from authserver.federation import arrivals, freshness, outgoing, saml, saml_metadata
from authserver.federation.arrivals import Arrival
from authserver.federation.refusals import ArrivalRefused
from authserver.models import SignInMethod
from platform_errors.keys import SecretUnreadable

TRY = "try"
INVITED = "invited"
ASKED_AT = "asked_at"
"""When the provider was asked for a new sign-in, where one is required (Unix time)."""


class Tried(Exception):
    """An administrator's trial came back: to be shown, and nothing else."""

    def __init__(self, arrival: Arrival, state: dict[str, Any]) -> None:
        super().__init__("tried")
        self.arrival = arrival
        self.state = state


class FederationAdapter(DefaultSocialAccountAdapter):
    """Providers from our rows, and accounts by subject alone."""

    def list_apps(
        self,
        request: HttpRequest,
        provider: str | None = None,
        client_id: str | None = None,
    ) -> list[SocialApp]:
        """Return the provider of this identifier; never those of all institutions."""
        method = SignInMethod.objects.filter(
            provider_id=provider or "", institution__is_active=True
        ).first()
        return [] if method is None else [app_of(method)]

    def get_requests_session(self) -> requests.Session:
        """Return the only session by which providers are reached."""
        return outgoing.session()

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: Any) -> Any:
        """Leave the account to ``arrivals``."""
        return sociallogin.user

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Let nobody sign up: who has no account by now gets none."""
        return False

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Say why, in place of allauth's page. Raises ``ArrivalRefused``."""
        state = (extra_context or {}).get("state")
        raise ArrivalRefused(_reason(request, exception, state), state=state)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Find or make the account. Raises ``ArrivalRefused`` and ``Tried``."""
        state = sociallogin.state
        kept = state.get("data") or {}
        method = SignInMethod.objects.select_related("institution").get(
            provider_id=sociallogin.account.provider
        )
        arrival = Arrival(
            method=method,
            uid=sociallogin.account.uid,
            claims=sociallogin.provider.arrived,
        )
        if TRY in kept:
            raise Tried(arrival, state)
        provider = sociallogin.provider
        try:
            state[signing_in.PROVED_AT] = freshness.proved_at(
                provider.authenticated_at,
                asked_at=kept.get(ASKED_AT),
                leeway=provider.leeway,
            )
            user = arrivals.receive(arrival, invited=kept.get(INVITED))
        except ArrivalRefused as refused:
            refused.state, refused.is_verified = state, True
            raise
        sociallogin.user = user
        sociallogin.account.user = user
        # allauth signs out whoever is there, and would forget what this browser began.
        session.switch_account(request)


def app_of(method: SignInMethod) -> SocialApp:
    """Return the row as django-allauth knows providers; it is never saved.

    Raises ``ArrivalRefused``.
    """
    app = SocialApp(
        provider=method.kind,
        provider_id=method.provider_id,
        name=method.name,
        client_id=method.client_id or method.provider_id,
    )
    if method.kind == SignInMethod.Kind.SAML:
        saml_metadata.refresh_if_old(method)
        app.settings = saml.settings_of(method)
        return app
    try:
        app.secret = method.secret
    except SecretUnreadable as error:
        raise ArrivalRefused("secret_unreadable") from error
    scopes = ["openid", *(set(method.scopes.split()) - {"openid"})]
    app.settings = {"server_url": method.issuer, "scope": scopes}
    return app


def _reason(request: HttpRequest, exception: Exception | None, state: Any) -> str:
    if isinstance(exception, requests.RequestException):
        return outgoing.reason(exception)
    if exception is not None:
        return "provider_refused"
    if state is None:
        return "trip_unknown"
    return (
        "cancelled" if request.GET.get("error") == "access_denied" else "provider_refused"
    )
