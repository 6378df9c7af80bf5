"""The token endpoint: what goes in and what comes out (decisions 4, spec 2.2 and 4.2)."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from authserver import vault
from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken
from authserver.tests import factories
from authserver.tests.oauth_client import (
    REDIRECT,
    TokenClient,
    basic,
    new_code,
    new_verifier,
)

pytestmark = pytest.mark.django_db

ALL = "calendar_events refresh_token context:1001"


@pytest.fixture
def user():
    return factories.UserFactory(
        username="alice", institution__registry_id="1001", principal_id="p-1"
    )


def make_key(user, client_id, secret=None, **traits):
    key = factories.ServiceKeyFactory(
        client_id=client_id, secret=secret, institutions=[user.institution], **traits
    )
    for code in ("calendar_events", "directory"):
        service = factories.ServiceFactory._meta.model.objects.filter(code=code).first()
        factories.KeyServiceFactory(
            key=key,
            service=service
            or factories.ServiceFactory(code=code, name=code.replace("_", " ").title()),
        )
    return key


@pytest.fixture
def public(user):
    return make_key(user, "spa")


@pytest.fixture
def confidential(user):
    return make_key(user, "web", secret="web-secret")


@pytest.fixture
def verifier():
    return new_verifier()


@pytest.fixture
def token():
    return TokenClient()


@pytest.fixture
def code_request(user, public, verifier):
    """The parameters that redeem a fresh code."""

    def make(key=public, scope="calendar_events", **changes):
        return {
            "grant_type": "authorization_code",
            "code": new_code(user=user, key=key, scope=scope, verifier=verifier),
            "client_id": key.client_id,
            "redirect_uri": REDIRECT,
            "code_verifier": verifier,
        } | changes

    return make


def assert_error(response, status, error, message=None):
    body = response.json()
    assert (response.status_code, body["error"]) == (status, error), body
    assert body["code"] == status
    assert body.keys() == {"error", "error_description", "code", "message", "details"}
    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"] == "application/json"
    if message is not None:
        assert body["message"] == body["error_description"] == message


# --- Success (spec 2.2) -----------------------------------------------------------------


def test_the_form_of_the_spec_gets_exactly_the_fields_of_the_spec(token, code_request):
    response = token.query(
        headers={"accept": "application/json"}, **code_request(scope="calendar_events")
    )

    body = response.json()
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert (response["Cache-Control"], response["Pragma"]) == ("no-store", "no-cache")
    assert re.fullmatch(r"tk_[A-Za-z0-9]{43}", body.pop("access_token"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", body.pop("expires_at"))
    assert body == {
        "token_type": "bearer",
        "expires_in": "1200",
        "scopes": "calendar_events",
        "scope": "calendar_events",
        "contextInstitutionId": "1001",
        "principalID": "p-1",
        "principalIDNS": "urn:platform:1001",
    }


def test_a_form_body_is_the_same(token, code_request):
    assert token.form(**code_request()).status_code == 200


def test_code_is_an_alias_of_authorization_code(token, code_request):
    assert token.query(**code_request(grant_type="code")).status_code == 200


def test_the_path_may_end_in_a_slash(code_request):
    assert TokenClient("/oauth2/token/").query(**code_request()).status_code == 200


def test_an_empty_body_may_have_any_content_type(token, code_request):
    response = token.client.generic(
        "POST", f"/oauth2/token?{urlencode(code_request())}", b"", "application/json"
    )

    assert response.status_code == 200


def test_refresh_token_in_the_scope_brings_one(token, code_request):
    body = token.query(**code_request(scope=ALL)).json()

    assert re.fullmatch(r"rt_[A-Za-z0-9]{43}", body["refresh_token"])
    assert body["refresh_token_expires_in"] == "604800"
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", body["refresh_token_expires_at"]
    )
    assert body["scopes"] == body["scope"] == ALL


def test_tokens_are_hashed_at_rest(token, code_request):
    body = token.query(**code_request(scope=ALL)).json()

    access, refresh = AccessToken.objects.get(), RefreshToken.objects.get()
    assert access.token == refresh.token == ""
    assert access.token_checksum == vault.digest(body["access_token"])
    assert refresh.token_checksum == vault.digest(body["refresh_token"])


def test_issuing_is_recorded_without_any_secret(token, code_request):
    asked = code_request(scope=ALL)
    body = token.query(**asked).json()

    event = AuditEvent.objects.get(action="token_issued")
    assert (event.login, event.client_id, event.registry_id) == (
        "alice@1001",
        "spa",
        "1001",
    )
    assert event.address == "127.0.0.1"
    assert event.request_id
    for secret in (body["access_token"], body["refresh_token"], asked["code"]):
        assert secret not in str(event.details)


def test_an_exchange_costs_few_statements(token, code_request, django_assert_num_queries):
    asked = code_request(scope=ALL)

    # key, grant, savepoint, spend, access token, refresh token, audit, release
    with django_assert_num_queries(8):
        token.query(**asked)


# --- The form of the request ------------------------------------------------------------


def test_query_and_body_at_once_are_refused(token, code_request):
    token.path = "/oauth2/token?grant_type=authorization_code"

    assert_error(token.form(**code_request()), 400, "invalid_request")


@pytest.mark.parametrize("form", ["query", "form"])
@pytest.mark.parametrize("name", ["grant_type", "code", "client_id", "anything"])
def test_a_repeated_parameter_is_refused(token, code_request, form, name):
    asked = code_request()
    if form == "form":
        response = token.form(raw=f"&{name}=x&{name}=x", **asked)
    else:
        token.path = f"/oauth2/token?{name}=x&{name}=x"
        response = token.client.generic("POST", token.path)

    assert_error(response, 400, "invalid_request", f"parameter {name} is repeated")
    assert Grant.objects.get().redeemed_at is None


def test_a_secret_in_the_query_is_refused(token, confidential, code_request):
    response = token.query(client_secret="web-secret", **code_request(confidential))

    assert_error(response, 400, "invalid_request")
    assert "web-secret" not in response.content.decode()


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "multipart/form-data; boundary=x", "text/plain", ""],
)
def test_another_body_type_is_415(token, code_request, content_type):
    assert_error(
        token.form(content_type=content_type, **code_request()),
        415,
        "invalid_request",
        "Unsupported Media Type",
    )


def test_a_charset_on_the_form_is_fine(token, code_request):
    response = token.form(
        content_type="application/x-www-form-urlencoded;charset=UTF-8", **code_request()
    )

    assert response.status_code == 200


@pytest.mark.parametrize("raw", ["&x=%ZZ", "&x=%ff", "&x=%"])
def test_a_body_that_cannot_be_decoded_is_refused(token, code_request, raw):
    assert_error(token.form(raw=raw, **code_request()), 400, "invalid_request")


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "head"])
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "accessToken"])
def test_another_method_is_405_in_the_same_shape(client, method, path):
    response = getattr(client, method)(f"/oauth2/{path}")

    assert response.status_code == 405
    assert response["Allow"] == "POST, OPTIONS"
    if method != "head":
        assert response.json()["message"] == "Method Not Supported"


@pytest.mark.parametrize("name", ["grant_type", "code", "redirect_uri", "client_id"])
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_parameter_is_named(token, code_request, name, value):
    assert_error(
        token.query(**code_request() | {name: value}),
        400,
        "invalid_request",
        f"required parameter '{name}' is missing or blank",
    )


@pytest.mark.parametrize("grant_type", ["password", "implicit", "CODE", "é", "x" * 5000])
def test_another_grant_type_is_refused(token, code_request, grant_type):
    assert_error(
        token.form(**code_request(grant_type=grant_type)), 400, "unsupported_grant_type"
    )


def test_parameters_that_oauthlib_would_take_for_its_own_change_nothing(
    token, code_request, public
):
    other = factories.UserFactory()
    response = token.form(
        user=other.login,
        client="x",
        scopes="billing",
        scope="billing",
        refresh_token="FIXED",
        access_token="FIXED",
        extra_credentials="x",
        exchange="x",
        **code_request(),
    )

    body = response.json()
    assert (body["scopes"], body["principalID"]) == ("calendar_events", "p-1")
    assert "FIXED" not in str(body)


# --- Error bodies -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("application/xml", "application/xml; charset=utf-8"),
        ("text/xml", "application/xml; charset=utf-8"),
        ("application/json;q=0.5, application/xml", "application/xml; charset=utf-8"),
        ("application/json, application/xml", "application/json"),
        ("*/*", "application/json"),
        ("", "application/json"),
        ("text/html", "application/json"),
        ("nonsense", "application/json"),
    ],
)
def test_errors_are_xml_only_where_that_is_preferred(token, accept, content_type):
    response = token.query(headers={"accept": accept})

    assert response.status_code == 400
    assert response["Content-Type"] == content_type
    assert response["Cache-Control"] == "no-store"
    if "xml" in content_type:
        assert b"<code>400</code>" in response.content


def test_a_description_keeps_to_the_characters_of_the_standard(token):
    response = token.query(
        grant_type="authorization_code",
        code="c",
        redirect_uri="r",
        client_id='a"b\\cé\x7f',
    )

    assert_error(response, 401, "invalid_client")
    assert response.json()["error_description"] == "service key a'b/c?? is invalid"


# --- Client authentication --------------------------------------------------------------


def test_an_unknown_key_is_invalid(token, code_request):
    response = token.query(**code_request(client_id="nope"))

    assert_error(response, 401, "invalid_client", "service key nope is invalid")
    assert response["WWW-Authenticate"] == 'Bearer realm="http://testserver"'


def test_a_canceled_key_is_refused(token, code_request, public):
    asked = code_request()
    type(public).objects.update(status="canceled")

    assert_error(
        token.query(**asked), 403, "invalid_client", "service key has been canceled"
    )


def test_an_expired_key_is_refused(token, code_request, public):
    asked = code_request()
    type(public).objects.update(expires_at=timezone.now())

    assert_error(token.query(**asked), 401, "invalid_client", "service key is expired")


def test_a_key_with_a_secret_must_authenticate(token, code_request, confidential):
    assert_error(
        token.query(**code_request(confidential)),
        401,
        "invalid_client",
        "service key web is invalid",
    )


@pytest.mark.parametrize("form", ["query", "form"])
def test_basic_authenticates(token, code_request, confidential, form):
    send = getattr(token, form)

    response = send(
        headers={"authorization": basic("web", "web-secret")}, **code_request(confidential)
    )

    assert response.status_code == 200


def test_client_id_may_be_left_to_basic(token, code_request, confidential):
    asked = code_request(confidential, client_id=None)

    response = token.form(headers={"authorization": basic("web", "web-secret")}, **asked)

    assert response.status_code == 200


def test_the_secret_in_the_form_body_authenticates(token, code_request, confidential):
    response = token.form(client_secret="web-secret", **code_request(confidential))

    assert response.status_code == 200


def test_both_secrets_of_a_rotation_authenticate(token, code_request, confidential):
    new = confidential.rotate_secret(now=timezone.now())
    confidential.save()

    for secret in (new, "web-secret"):
        asked = code_request(confidential)
        assert token.form(client_secret=secret, **asked).status_code == 200


@pytest.mark.parametrize("secret", ["wrong", "web-secre", "WEB-SECRET", "é", "x" * 5000])
def test_a_wrong_secret_is_refused_and_answered_in_its_scheme(
    token, code_request, confidential, secret
):
    by_header = token.form(
        headers={"authorization": basic("web", secret)}, **code_request(confidential)
    )
    by_body = token.form(client_secret=secret, **code_request(confidential))

    for response in (by_header, by_body):
        assert_error(response, 401, "invalid_client", "service key web is invalid")
        assert secret not in response.content.decode()
    assert by_header["WWW-Authenticate"].startswith('Basic realm="http://testserver"')
    assert by_body["WWW-Authenticate"].startswith("Bearer ")


def test_a_public_key_must_not_send_a_secret(token, code_request):
    assert_error(token.form(client_secret="x", **code_request()), 401, "invalid_client")


def test_a_public_key_may_say_its_name_with_an_empty_basic_password(token, code_request):
    response = token.form(headers={"authorization": basic("spa", "")}, **code_request())

    assert response.status_code == 200


def test_basic_and_client_id_must_agree(token, code_request, confidential):
    response = token.form(
        headers={"authorization": basic("web", "web-secret")},
        **code_request(confidential, client_id="spa"),
    )

    assert_error(response, 400, "invalid_request")


def test_two_ways_to_authenticate_are_refused(token, code_request, confidential):
    response = token.form(
        headers={"authorization": basic("web", "web-secret")},
        client_secret="web-secret",
        **code_request(confidential),
    )

    assert_error(response, 400, "invalid_request")


@pytest.mark.parametrize(
    "header",
    ["Basic", "Basic !!!", "Basic bm9jb2xvbg==", "Basic /w==", "Bearer tk_x", "Digest x"],
)
def test_an_authorization_header_that_cannot_be_used_is_401(token, code_request, header):
    response = token.form(headers={"authorization": header}, **code_request())

    assert_error(response, 401, "invalid_client")


# --- Codes ------------------------------------------------------------------------------


def test_a_code_is_redeemed_once_and_a_replay_revokes_its_tokens(token, code_request):
    asked = code_request(scope=ALL)
    assert token.query(**asked).status_code == 200

    assert_error(token.query(**asked), 400, "invalid_grant", "the code is not valid")

    assert AccessToken.objects.get().revoked_at is not None
    assert RefreshToken.objects.get().revoked is not None
    assert AuditEvent.objects.filter(action="code_replayed").count() == 1


def test_a_replay_is_recognised_after_the_code_has_expired(token, code_request):
    asked = code_request()
    token.query(**asked)
    Grant.objects.update(expires=timezone.now() - timedelta(hours=1))

    token.query(**asked)

    assert AccessToken.objects.get().revoked_at is not None


def test_a_replay_revokes_what_was_refreshed_since(token, code_request):
    asked = code_request(scope=ALL)
    first = token.query(**asked).json()
    token.query(
        grant_type="refresh_token", client_id="spa", refresh_token=first["refresh_token"]
    )

    token.query(**asked)

    assert not AccessToken.objects.filter(revoked_at__isnull=True).exists()
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()


def test_a_replay_by_another_client_revokes_nothing(token, code_request, user):
    make_key(user, "mallory")
    asked = code_request()
    token.query(**asked)

    assert_error(token.query(**asked | {"client_id": "mallory"}), 400, "invalid_grant")

    assert AccessToken.objects.get().revoked_at is None


def test_an_expired_code_is_refused(token, code_request):
    asked = code_request()
    Grant.objects.update(expires=timezone.now())

    assert_error(token.query(**asked), 400, "invalid_grant")


@pytest.mark.parametrize("code", ["nope", "\x00", "é", "x" * 5000])
def test_an_unknown_code_is_refused(token, code_request, code):
    assert_error(token.form(**code_request(code=code)), 400, "invalid_grant")


@pytest.mark.parametrize("address", ["https://client.example/other", REDIRECT + "?", "x"])
def test_another_redirect_uri_is_refused(token, code_request, address):
    assert_error(token.query(**code_request(redirect_uri=address)), 400, "invalid_grant")
    assert not AccessToken.objects.exists()


# --- PKCE -------------------------------------------------------------------------------


def test_without_a_verifier_nothing_is_redeemed(token, code_request):
    assert_error(
        token.query(**code_request(code_verifier=None)),
        400,
        "invalid_request",
        "required parameter 'code_verifier' is missing or blank",
    )


@pytest.mark.parametrize(
    "wrong", ["x" * 43, "x" * 42, "x" * 129, "é" * 43, "x" * 43 + "=", "x" * 42 + "+"]
)
def test_a_wrong_verifier_is_refused(token, code_request, wrong):
    assert_error(token.form(**code_request(code_verifier=wrong)), 400, "invalid_grant")


def test_a_padded_verifier_is_outside_the_alphabet(token, user, public):
    padded = "x" * 42 + "="
    code = new_code(user=user, key=public, verifier=padded)

    response = token.form(
        grant_type="authorization_code",
        code=code,
        client_id="spa",
        redirect_uri=REDIRECT,
        code_verifier=padded,
    )

    assert_error(response, 400, "invalid_grant")


def test_five_wrong_verifiers_burn_the_code(token, code_request):
    asked = code_request()
    for _ in range(4):
        token.query(**asked | {"code_verifier": "x" * 43})
    assert Grant.objects.get().redeemed_at is None

    token.query(**asked | {"code_verifier": "x" * 43})

    assert_error(token.query(**asked), 400, "invalid_grant", "the code is not valid")
    assert AuditEvent.objects.filter(action="code_burned").count() == 1
    assert not AccessToken.objects.exists()


def test_four_wrong_verifiers_do_not(token, code_request):
    asked = code_request()
    for _ in range(4):
        token.query(**asked | {"code_verifier": "x" * 43})

    assert token.query(**asked).status_code == 200


# --- Refresh ----------------------------------------------------------------------------


@pytest.fixture
def refreshable(token, code_request):
    return token.query(
        **code_request(scope="calendar_events directory refresh_token")
    ).json()


def refresh(token, refresh_token, **changes):
    return token.query(
        **{
            "grant_type": "refresh_token",
            "client_id": "spa",
            "refresh_token": refresh_token,
        }
        | changes
    )


def test_refreshing_answers_like_the_first_time_and_rotates(token, refreshable):
    body = refresh(token, refreshable["refresh_token"]).json()

    assert body.keys() == refreshable.keys()
    assert body["refresh_token"] != refreshable["refresh_token"]
    assert body["access_token"] != refreshable["access_token"]
    assert body["scopes"] == "calendar_events directory refresh_token"
    assert AuditEvent.objects.filter(action="token_refreshed").count() == 1


def test_an_extra_redirect_uri_is_tolerated(token, refreshable):
    response = refresh(token, refreshable["refresh_token"], redirect_uri=REDIRECT)

    assert response.status_code == 200


def test_the_lifetime_of_the_family_is_absolute(token, refreshable):
    moment = timezone.now() + timedelta(seconds=1000)
    RefreshToken.objects.update(expires_at=moment)

    body = refresh(token, refreshable["refresh_token"]).json()

    newest = RefreshToken.objects.get(token_checksum=vault.digest(body["refresh_token"]))
    assert newest.expires_at == moment
    assert int(body["refresh_token_expires_in"]) <= 1000


def test_reuse_of_a_refresh_token_revokes_the_family(token, refreshable):
    second = refresh(token, refreshable["refresh_token"]).json()

    assert_error(refresh(token, refreshable["refresh_token"]), 400, "invalid_grant")

    assert not AccessToken.objects.filter(revoked_at__isnull=True).exists()
    assert_error(refresh(token, second["refresh_token"]), 400, "invalid_grant")
    assert AuditEvent.objects.filter(action="refresh_replayed").count() == 1


def test_an_expired_refresh_token_is_refused(token, refreshable):
    RefreshToken.objects.update(expires_at=timezone.now())

    assert_error(refresh(token, refreshable["refresh_token"]), 400, "invalid_grant")


def test_a_refresh_token_is_its_own_clients(token, refreshable, user):
    make_key(user, "mallory")

    assert_error(
        refresh(token, refreshable["refresh_token"], client_id="mallory"),
        400,
        "invalid_grant",
    )
    assert refresh(token, refreshable["refresh_token"]).status_code == 200


def test_a_confidential_client_authenticates_to_refresh(token, code_request, confidential):
    headers = {"authorization": basic("web", "web-secret")}
    body = token.form(headers, **code_request(confidential, scope=ALL)).json()
    asked = {"grant_type": "refresh_token", "refresh_token": body["refresh_token"]}

    assert_error(token.form(client_id="web", **asked), 401, "invalid_client")
    assert token.form(headers, **asked).status_code == 200


def test_a_refresh_may_narrow_and_the_next_may_have_everything_again(token, refreshable):
    narrow = refresh(token, refreshable["refresh_token"], scope="directory").json()
    wide = refresh(token, narrow["refresh_token"]).json()

    assert narrow["scopes"] == "directory"
    assert wide["scopes"] == "calendar_events directory refresh_token"


@pytest.mark.parametrize(
    ("scope", "status"), [("billing", 400), ("directory billing", 400), ("a\tb", 400)]
)
def test_a_refresh_cannot_widen(token, refreshable, scope, status):
    assert_error(
        refresh(token, refreshable["refresh_token"], scope=scope), status, "invalid_scope"
    )
    assert refresh(token, refreshable["refresh_token"]).status_code == 200


@pytest.mark.parametrize("value", ["nope", "\x00", "é", "x" * 5000])
def test_an_unknown_refresh_token_is_refused(token, public, value):
    assert_error(refresh(token, value), 400, "invalid_grant")


# --- Statuses at every step (decisions 4) -----------------------------------------------

STATUSES = [
    (lambda key, user: type(key).objects.update(status="canceled"), 403, "invalid_client"),
    (
        lambda key, user: type(key).objects.update(expires_at=timezone.now()),
        401,
        "invalid_client",
    ),
    (lambda key, user: key.service_links.all().delete(), 403, "invalid_scope"),
    (lambda key, user: key.service_links.update(status="canceled"), 403, "invalid_scope"),
    (
        lambda key, user: key.service_links.update(expires_at=timezone.now()),
        403,
        "invalid_scope",
    ),
    (
        lambda key, user: key.institution_links.all().delete(),
        403,
        "unauthorized_client",
    ),
    (
        lambda key, user: key.institutions.update(is_active=False),
        403,
        "unauthorized_client",
    ),
    (lambda key, user: type(user).objects.update(is_active=False), 400, "invalid_grant"),
    (
        lambda key, user: type(user).objects.update(
            institution=factories.InstitutionFactory(registry_id="1002")
        ),
        400,
        "invalid_grant",
    ),
]


@pytest.mark.parametrize(("end", "status", "error"), STATUSES)
def test_what_has_ended_stops_redeeming(
    token, code_request, public, user, end, status, error
):
    asked = code_request()

    end(public, user)

    assert_error(token.query(**asked), status, error)
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize(("end", "status", "error"), STATUSES)
def test_what_has_ended_stops_refreshing(
    token, refreshable, public, user, end, status, error
):
    end(public, user)

    assert_error(refresh(token, refreshable["refresh_token"]), status, error)
    assert AccessToken.objects.count() == 1


def test_the_refusals_have_the_texts_of_the_spec(token, code_request, public):
    asked = code_request()
    public.service_links.filter(service__code="calendar_events").update(status="canceled")
    canceled = token.query(**asked).json()["message"]
    public.service_links.update(status="active")
    public.institution_links.all().delete()

    assert canceled == "Invalid scope(s): calendar_events (Calendar Events) [Canceled]"
    assert token.query(**asked).json()["message"] == (
        "clientId spa doesn't have access to contextInstitutionId 1001"
    )


# --- Client credentials -----------------------------------------------------------------


def credentials(token, **values):
    return token.form(
        headers={"authorization": basic("web", "web-secret")},
        **{"grant_type": "client_credentials"} | values,
    )


def test_client_credentials_act_for_no_user(token, confidential):
    body = credentials(token, scope="calendar_events refresh_token").json()

    assert (body["principalID"], body["principalIDNS"]) == ("", "")
    assert body["contextInstitutionId"] == "1001"
    assert "refresh_token" not in body
    assert body["scopes"] == "calendar_events refresh_token"
    assert AccessToken.objects.get().user is None
    assert not RefreshToken.objects.exists()


def test_client_credentials_need_a_key_with_a_secret(token, public):
    assert_error(
        token.form(
            grant_type="client_credentials", client_id="spa", scope="calendar_events"
        ),
        400,
        "unauthorized_client",
    )


@pytest.mark.parametrize("scope", [None, "", "refresh_token", "context:1001"])
def test_client_credentials_need_a_scope(token, confidential, scope):
    assert_error(
        credentials(token, scope=scope),
        400,
        "invalid_scope",
        "required parameter 'scope' is missing or blank",
    )


def test_client_credentials_need_services_of_the_key(token, confidential):
    assert_error(
        credentials(token, scope="billing directory"),
        403,
        "invalid_scope",
        "Invalid scope(s): billing (billing) [Not on key]",
    )


def test_client_credentials_choose_the_institution(token, confidential):
    factories.KeyInstitutionFactory(key=confidential, institution__registry_id="1002")
    scope = "calendar_events"

    assert_error(credentials(token, scope=scope), 400, "invalid_request")
    by_parameter = credentials(token, scope=scope, contextInstitutionId="1002").json()
    by_scope = credentials(token, scope=f"{scope} context:1002").json()
    scope_first = credentials(
        token, scope=f"{scope} context:1002", contextInstitutionId="1001"
    ).json()

    assert {
        body["contextInstitutionId"] for body in (by_parameter, by_scope, scope_first)
    } == {"1002"}


def test_client_credentials_cannot_choose_a_foreign_institution(token, confidential):
    assert_error(
        credentials(token, scope="calendar_events context:1003"),
        403,
        "unauthorized_client",
        "clientId web doesn't have access to contextInstitutionId 1003",
    )


# --- What a token is good for afterwards ------------------------------------------------


def test_a_narrowed_grant_is_a_narrowed_token(token, user, public, verifier):
    code = new_code(user=user, key=public, scope="directory", verifier=verifier)

    body = token.query(
        grant_type="authorization_code",
        code=code,
        client_id="spa",
        redirect_uri=REDIRECT,
        code_verifier=verifier,
    ).json()

    assert body["scopes"] == AccessToken.objects.get().scope == "directory"
