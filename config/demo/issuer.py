"""A little OpenID Connect issuer inside the demonstration, for an institution with its own.

Nobody types a password here: one says who one is. It keeps nothing: its key is made of
``SECRET_KEY``, codes and tokens are signed.
"""

import base64
import hashlib
import hmac
import time
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.contrib.auth.models import Group
from django.core import signing
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from authserver.models import Institution, RoleRule, SignInMethod, SignInRules

CLIENT_ID = "calendar-platform"
CLIENT_SECRET = "demo-issuer-secret"  # noqa: S105 -- published, and only for the demonstration
PEOPLE: dict[str, dict[str, Any]] = {
    "nora": {"name": "Nora North", "email": "nora@demo.example", "groups": ["staff"]},
    "otto": {"name": "Otto Olsen", "email": "otto@demo.example", "groups": ["student"]},
}
CODE_SECONDS = 60
_SALT = "config.demo.issuer"


def url() -> str:
    """Return the issuer: an address that this server reaches itself by."""
    return f"http://127.0.0.1:{settings.PORT}/demo/issuer"


def _key() -> ec.EllipticCurvePrivateKey:
    """Return the same key in every process."""
    seed = hmac.digest(settings.SECRET_KEY.encode(), _SALT.encode(), "sha512")
    return ec.derive_private_key(int.from_bytes(seed) >> 260 or 1, ec.SECP256R1())


def seed(institution: Institution) -> None:
    """Let people of the institution sign in here; what is there stays but for the port."""
    ours = SignInMethod.objects.filter(institution=institution, client_id=CLIENT_ID)
    if ours.update(issuer=url()):
        return
    method = SignInMethod(
        institution=institution,
        name="Harborview sign-in",
        issuer=url(),
        client_id=CLIENT_ID,
        is_active=True,
    )
    method.set_secret(CLIENT_SECRET)
    method.save()
    editor, _ = Group.objects.get_or_create(name="editor")
    RoleRule.objects.create(method=method, claim="groups", value="staff", group=editor)
    SignInRules.objects.create(
        institution=institution, passwords=False, arrivals=SignInRules.Arrivals.MAKE
    )


@require_GET
def discovery(_request: HttpRequest) -> JsonResponse:
    """Say where everything is (OpenID Connect Discovery)."""
    return JsonResponse(
        {
            "issuer": url(),
            "authorization_endpoint": f"{url()}/authorize",
            "token_endpoint": f"{url()}/token",
            "userinfo_endpoint": f"{url()}/userinfo",
            "jwks_uri": f"{url()}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "authorization_response_iss_parameter_supported": True,
        }
    )


@require_GET
def keys(_request: HttpRequest) -> JsonResponse:
    """Publish the key that tokens are signed with."""
    public = jwt.algorithms.ECAlgorithm.to_jwk(_key().public_key(), as_dict=True)
    return JsonResponse({"keys": [{**public, "kid": "demo", "use": "sig", "alg": "ES256"}]})


@require_GET
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask who is there, and send them back with a code."""
    query = request.GET
    address = query.get("redirect_uri", "")
    callbacks = f"{settings.ISSUER}{reverse('authserver:oidc-callback', args=['0'])[:-1]}"
    if query.get("client_id") != CLIENT_ID or not address.startswith(callbacks):
        raise Http404
    person = query.get("person")
    if person is None:
        return render(
            request,
            "demo/issuer.html",
            {
                "people": [
                    (PEOPLE[one]["name"], f"?{urlencode({**query.dict(), 'person': one})}")
                    for one in PEOPLE
                ],
                "nobody": f"?{urlencode({**query.dict(), 'person': ''})}",
            },
        )
    answer = {"state": query.get("state", ""), "iss": url()}
    if person in PEOPLE:
        trip = [person, query.get("nonce"), query.get("code_challenge"), address]
        answer["code"] = signing.dumps(trip, salt=_SALT)
    else:
        answer["error"] = "access_denied"
    return HttpResponseRedirect(f"{address}?{urlencode(answer)}")


@csrf_exempt
@require_POST
def token(request: HttpRequest) -> JsonResponse:
    """Redeem a code, for the one client there is."""
    form = request.POST
    verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
    try:
        code = form.get("code", "")
        person, nonce, wanted, address = signing.loads(
            code, salt=_SALT, max_age=CODE_SECONDS
        )
    except signing.BadSignature:
        return _refused("invalid_grant")
    if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
        return _refused("invalid_client")
    if (challenge, form.get("redirect_uri")) != (wanted, address):
        return _refused("invalid_grant")
    now = int(time.time())
    claims = {
        **_claims(person),
        "iss": url(),
        "aud": CLIENT_ID,
        "iat": now,
        "exp": now + 300,
        "auth_time": now,
        "nonce": nonce,
    }
    return JsonResponse(
        {
            "access_token": signing.dumps(person, salt=f"{_SALT}.access"),
            "token_type": "Bearer",
            "expires_in": CODE_SECONDS,
            "id_token": jwt.encode(claims, _key(), "ES256", {"kid": "demo"}),
        }
    )


@require_GET
def userinfo(request: HttpRequest) -> JsonResponse:
    """Say more of the person whom an access token is about."""
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
    try:
        person = signing.loads(bearer, salt=f"{_SALT}.access", max_age=CODE_SECONDS)
    except signing.BadSignature:
        return _refused("invalid_token")
    return JsonResponse(_claims(person))


def _claims(person: str) -> dict[str, Any]:
    return {"sub": f"demo-{person}", "preferred_username": person, **PEOPLE[person]}


def _refused(error: str) -> JsonResponse:
    return JsonResponse({"error": error}, status=HTTPStatus.BAD_REQUEST)


urlpatterns: list[URLPattern] = [
    path("demo/issuer/.well-known/openid-configuration", discovery),
    path("demo/issuer/keys", keys),
    path("demo/issuer/authorize", authorize),
    path("demo/issuer/token", token),
    path("demo/issuer/userinfo", userinfo),
]
