"""A client of the token endpoint, for tests: the forms of decisions 4 in one line each."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.test import Client
from django.utils import timezone

from authserver.authorization import pending
from authserver.authorization.requests import AuthorizationRequest
from authserver.keys.scopes import Scopes
from authserver.keys.store import find_client
from authserver.models import Service
from authserver.tests import factories

REDIRECT = "https://client.example/cb"
FORM = "application/x-www-form-urlencoded"
ALL = "calendar_events refresh_token context:1001"


def new_verifier():
    return secrets.token_urlsafe(32)


def challenge_of(verifier):
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def basic(client_id, secret):
    return "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()


def new_code(*, user, key, scope="calendar_events", verifier="", redirect_uri=REDIRECT):
    """Issue a code as the grant page does."""
    now = timezone.now()
    request = AuthorizationRequest(
        key=find_client(key.client_id),
        redirect_uri=redirect_uri,
        scopes=Scopes.parse(scope),
        state="",
        code_challenge=challenge_of(verifier) if verifier else "",
        institution=user.institution.registry_id,
    )
    _, found = pending.store(request, binding="b", now=now)
    url = pending.issue_code(found, user=user, granted=set(scope.split()), now=now)
    return url.partition("code=")[2].partition("&")[0]


@dataclass
class TokenClient:
    """Posts to an endpoint; ``headers`` go with every request."""

    path: str = "/oauth2/token"
    headers: dict = field(default_factory=dict)
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))

    def query(self, headers=None, **values):
        """The spec's form: parameters in the query, an empty body."""
        values = {name: value for name, value in values.items() if value is not None}
        return self.client.generic(
            "POST",
            f"{self.path}?{urlencode(values)}",
            headers={**self.headers, **(headers or {})},
        )

    def form(self, headers=None, raw="", content_type=FORM, **values):
        """The standard's form."""
        values = {name: value for name, value in values.items() if value is not None}
        return self.client.generic(
            "POST",
            self.path,
            urlencode(values) + raw,
            content_type=content_type,
            headers={**self.headers, **(headers or {})},
        )


def make_key(user, client_id, secret=None, **traits):
    """Make a key for the user's institution, with two services."""
    key = factories.ServiceKeyFactory(
        client_id=client_id, secret=secret, institutions=[user.institution], **traits
    )
    for code, name in (("calendar_events", "Calendar Events"), ("directory", "Directory")):
        service, _ = Service.objects.get_or_create(code=code, defaults={"name": name})
        factories.KeyServiceFactory(key=key, service=service)
    return key


def assert_error(response, status, error, message=None):
    """Ask for the members of decisions 4, all of them and no more."""
    body = response.json()
    assert (response.status_code, body["error"]) == (status, error), body
    assert body["code"] == status
    assert list(body)[:6] == [
        *("error", "error_description", "code", "message", "details", "reason")
    ]
    assert body["reason"] == response["x-svc-Reason"]
    assert body.keys() - set(list(body)[:6]) <= {"canonical_request", "string_to_sign"}
    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"] == "application/json"
    if message is not None:
        assert body["message"] == body["error_description"] == message


def refresh(token, refresh_token, **changes):
    """Use a refresh token of the public key."""
    return token.query(
        **{
            "grant_type": "refresh_token",
            "client_id": "spa",
            "refresh_token": refresh_token,
        }
        | changes
    )
