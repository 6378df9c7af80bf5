"""What is decided holds although oauthlib, which carries it out, might change one day.

Each test runs an oauthlib with one line of its token validation changed, as an upgrade
plausibly might, and expects no token without the right verifier.
"""

import inspect
import textwrap

import pytest
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2 import ClientCredentialsGrant
from oauthlib.oauth2.rfc6749.grant_types import authorization_code

from authserver.models import AccessToken, Grant
from authserver.oauth import tokens
from authserver.oauth.server import GRANT_TYPES, GrantType
from authserver.oauth.validator import Validator
from authserver.tests.oauth_client import assert_error, basic, make_key, new_code, refresh
from authserver.views.endpoints.metadata import metadata

pytestmark = pytest.mark.django_db

ASKS = "self.request_validator.get_code_challenge(request.code, request)"
REQUIRES = "self.request_validator.is_pkce_required(request.client_id, request) is True"
COMPARES = """not self.validate_code_challenge(challenge,
                                                challenge_method,
                                                request.code_verifier)"""
CHANGES = {
    "asks for the challenge only with a verifier": {
        ASKS: f"{ASKS} if request.code_verifier else None"
    },
    "never asks for the challenge": {ASKS: "None"},
    "asks for nothing at all": {ASKS: "None", REQUIRES: "False"},
    "never compares": {COMPARES: "False"},
}


@pytest.fixture(params=CHANGES.values(), ids=CHANGES)
def changed_library(request, monkeypatch):
    grant = authorization_code.AuthorizationCodeGrant
    source = textwrap.dedent(inspect.getsource(grant.validate_token_request))
    for line, other in request.param.items():
        line = textwrap.dedent(line).replace("\n    ", "\n")  # noqa: PLW2901 -- as dedented
        assert line in source
        source = source.replace(line, other)
    names = {}
    exec(source, vars(authorization_code), names)  # noqa: S102 -- the library's own code
    monkeypatch.setattr(grant, "validate_token_request", names["validate_token_request"])


@pytest.mark.usefixtures("changed_library")
@pytest.mark.parametrize(
    ("sent", "error"), [("x" * 43, "invalid_grant"), (None, "invalid_request")]
)
def test_a_library_that_forgets_pkce_issues_nothing(token, code_request, sent, error):
    response = token.query(**code_request(code_verifier=sent))

    assert_error(response, 400, error)
    assert not AccessToken.objects.exists()
    assert Grant.objects.get().redeemed_at is None


def test_a_code_whose_challenge_was_lost_is_not_redeemed(token, code_request):
    asked = code_request()
    Grant.objects.update(code_challenge="")

    for verifier in (asked["code_verifier"], None):
        response = token.query(**asked | {"code_verifier": verifier})
        assert_error(response, 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_challenge_of_another_method_is_not_redeemed(token, code_request):
    asked = code_request()
    Grant.objects.update(
        code_challenge=asked["code_verifier"], code_challenge_method="plain"
    )

    assert_error(token.query(**asked), 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_library_that_forgets_the_redirect_address_issues_nothing(
    token, code_request, monkeypatch
):
    """OAuth 2.1 drops the question from the token request."""
    monkeypatch.setattr(Validator, "confirm_redirect_uri", lambda *_args, **_more: True)

    response = token.query(**code_request(redirect_uri="https://evil.example/"))

    assert_error(response, 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_library_that_forgets_the_grant_type_gives_a_public_key_nothing(
    token, public, monkeypatch
):
    monkeypatch.setattr(Validator, "validate_grant_type", lambda *_args, **_more: True)

    response = token.form(
        grant_type="client_credentials",
        client_id=public.client_id,
        scope="calendar_events",
    )

    assert_error(response, 400, "unauthorized_client")
    assert not AccessToken.objects.exists()


INHERITED = {
    # Of the toolkit's own endpoints, which are not routed.
    *("validate_client_id", "validate_redirect_uri", "validate_response_type"),
    *("get_default_redirect_uri", "save_authorization_code", "revoke_token"),
    *("introspect_token", "validate_bearer_token", "get_or_create_user_from_content"),
    # Of grant types that are not served: password, device, implicit.
    *("validate_user", "build_http_request", "is_origin_allowed"),
    "authenticate_client_id",
    # Of OpenID Connect, for scopes with ``openid`` alone.
    *("finalize_id_token", "get_additional_claims", "get_authorization_code_nonce"),
    *("get_authorization_code_scopes", "get_claim_dict", "get_discovery_claims"),
    *("get_id_token", "get_id_token_dictionary", "get_jwt_bearer_token"),
    *("get_oidc_claims", "get_oidc_issuer_endpoint", "get_userinfo_claims"),
    *("refresh_id_token", "validate_id_token", "validate_jwt_bearer_token"),
    *("validate_silent_authorization", "validate_silent_login", "validate_user_match"),
    # Harmless: the first calls our ``save_bearer_token``, the second says no.
    *("save_token", "is_within_original_scope"),
}
"""The hooks that the toolkit answers; a new one is read, then put here or replaced."""
OURS = {name for name, hook in vars(Validator).items() if inspect.isfunction(hook)}
WHO = ["authenticate_client", "validate_grant_type"]
SAVING = {"save_token", "save_bearer_token", "_save_bearer_token"}
CODE = [
    *("client_authentication_required", "validate_code", "get_code_challenge"),
    *("confirm_redirect_uri", "invalidate_authorization_code"),
]
ASKED = {
    "authorization_code": [*CODE, "get_code_challenge_method"],
    "without PKCE": [*CODE, "is_pkce_required"],
    "refresh_token": [
        *("client_authentication_required", "validate_refresh_token"),
        *("get_original_scopes", "rotate_refresh_token"),
    ],
    "client_credentials": ["get_default_scopes", "validate_scopes"],
}
"""What oauthlib asks of the validator for each grant type, beside ``WHO``."""


@pytest.fixture
def asked(monkeypatch):
    """Return the names of the validator's hooks that are called from now on."""
    names = set()

    def recording(name, hook):
        def ask(*arguments, **options):
            names.add(name)
            return hook(*arguments, **options)

        return ask

    for name, hook in inspect.getmembers(Validator, inspect.isfunction):
        if not name.startswith("__"):
            monkeypatch.setattr(Validator, name, recording(name, hook))
    return names


def test_the_toolkit_answers_no_hook_that_nobody_read():
    hooks = {
        name
        for name, _ in inspect.getmembers(OAuth2Validator, inspect.isfunction)
        if not name.startswith("_")
    }

    assert hooks - OURS == INHERITED


def test_every_hook_is_asked_by_the_grant_types_that_need_it(
    token, code_request, confidential, user, asked
):
    values = {"scope": "directory refresh_token"}
    headers = {"authorization": basic("web", "web-secret")}
    old = make_key(user, "old", secret="s", old_generation=True)
    seen = {}

    def ask(name, response):
        assert response.status_code == 200, response.content
        seen[name] = set(asked) - {*WHO, *SAVING}
        assert set(asked) > {*WHO, *SAVING}
        asked.clear()
        return response.json()

    body = ask("authorization_code", token.query(**code_request(**values)))
    ask("refresh_token", refresh(token, body["refresh_token"]))
    values["grant_type"] = "client_credentials"
    ask("client_credentials", token.form(headers=headers, **values))
    without_pkce = {
        **code_request(client_id=None, code_verifier=None),
        "code": new_code(user=user, key=old),
    }
    ask(
        "without PKCE",
        token.query(headers={"authorization": basic("old", "s")}, **without_pkce),
    )

    assert seen == {name: set(hooks) for name, hooks in ASKED.items()}
    assert set().union(WHO, SAVING, *seen.values()) - INHERITED == OURS


class MachineGrant(ClientCredentialsGrant):
    """A grant type of somebody's own."""

    def validate_token_request(self, request):
        self.request_validator.authenticate_client(request)
        self.validate_scopes(request)


def test_a_grant_type_more_is_one_entry(token, confidential, monkeypatch):
    monkeypatch.setitem(
        GRANT_TYPES,
        "urn:example:machine",
        GrantType(grant_class=MachineGrant, required=("machine",)),
    )
    told = []

    def listen(grant_type, **_more):
        told.append(grant_type)

    tokens.tokens_issued.connect(listen)
    values = {"grant_type": "urn:example:machine", "scope": "directory"}
    headers = {"authorization": basic("web", "web-secret")}

    without = token.form(headers=headers, **values)
    issued = token.form(headers=headers, machine="7", **values)

    assert_error(without, 400, "invalid_request")
    assert issued.status_code == 200
    assert told == ["urn:example:machine"]
    assert metadata([])["grant_types_supported"][-1] == "urn:example:machine"
