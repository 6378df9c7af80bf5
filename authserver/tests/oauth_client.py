"""A client of the token endpoint, for tests: the forms of decisions 4 in one line each."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.test import Client
from django.utils import timezone

from authserver import pending
from authserver.authorization import AuthorizationRequest
from authserver.keys import find_stored_key
from authserver.scopes import Scopes

REDIRECT = "https://client.example/cb"
FORM = "application/x-www-form-urlencoded"


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
        key=find_stored_key(key.client_id),
        redirect_uri=redirect_uri,
        scopes=Scopes.parse(scope),
        state="",
        code_challenge=challenge_of(verifier) if verifier else "",
        institution=user.institution.registry_id,
    )
    handle = pending.store(request, binding="b", now=now)
    found = pending.load(handle, binding="b", now=now)
    url = pending.issue_code(found, user=user, granted=set(scope.split()), now=now)
    return url.partition("code=")[2].partition("&")[0]


@dataclass
class TokenClient:
    """Posts to an endpoint; ``headers`` go with every request."""

    path: str = "/oauth2/token"
    headers: dict = field(default_factory=dict)
    client: Client = field(default_factory=Client)

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
