"""Bearer tokens: every refusal of decisions 5, its status, message and challenge."""

import pytest

from platform_errors.tests.clients import read_error
from platform_errors.tests.factories import (
    NAMESPACE,
    OTHER_INSTITUTION,
    PERMISSION,
    PRINCIPAL_ID,
    TOKEN,
    make_key,
    make_principal,
    make_service,
    make_token,
    make_wide_key,
    past,
)

CLOSED = "/platform/closed"
REALM = 'Bearer realm="https://platform.example"'


def test_a_live_token_passes(api):
    make_token(principal=make_principal(permissions={PERMISSION}))

    response = api.bearer("GET", CLOSED, accept="application/json")

    assert (response.status_code, response.json()) == (200, {"user": PRINCIPAL_ID})


def test_the_scheme_is_matched_without_case(api):
    make_token(principal=make_principal(permissions={PERMISSION}))

    assert api.call("GET", CLOSED, f"bEARER  {TOKEN}", accept=None).status_code == 200


@pytest.mark.parametrize("path", [CLOSED, "/platform/probe"], ids=["closed", "public"])
@pytest.mark.parametrize(
    "header",
    [
        "Bearer tk_unknown",
        "Bearer",
        "Bearer tk_ä",
        f"Bearer {TOKEN} {TOKEN}",
        f"Bearer {TOKEN},",
        f'Bearer {TOKEN}, user="x"',
        f'Bearer {TOKEN}, principalID="a", principalID="b"',
        "Bearer " + "a" * 300,
    ],
)
def test_token_invalid(api, accept, path, header):
    make_token()

    response = api.call("GET", path, header.encode().decode("latin-1"), accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "access token is invalid"
    assert response["WWW-Authenticate"] == f'{REALM}, error="invalid_token"'


def test_token_expired(api, accept):
    make_token(expires_at=past())

    response = api.bearer("GET", CLOSED, accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "access token has expired"
    assert response["WWW-Authenticate"] == f'{REALM}, error="invalid_token"'


def test_token_lacks_service(api, accept):
    make_token(scopes=frozenset({"another"}))

    response = api.bearer("GET", CLOSED, accept=accept)

    assert read_error(response).status == 403
    assert read_error(response).message == (
        "access token does not have access to service probe"
    )
    assert response["WWW-Authenticate"] == f'{REALM}, error="insufficient_scope"'


@pytest.mark.parametrize(
    ("key", "status", "message"),
    [
        ({"status": "canceled"}, 403, "service key has been canceled"),
        ({"expires_at": past()}, 401, "service key is expired"),
        ({"services": []}, 403, "Invalid scope(s): probe (probe) [Not on key]"),
        (
            {"services": [make_service(status="canceled")]},
            403,
            "Invalid scope(s): probe (Probe Service) [Canceled]",
        ),
        (
            {"institutions": frozenset()},
            403,
            "clientId key doesn't have access to contextInstitutionId 1001",
        ),
    ],
    ids=["canceled", "expired", "service lost", "service canceled", "institution lost"],
)
def test_a_key_that_lost_something_stops_its_tokens(api, accept, key, status, message):
    make_token(key=make_key(**key), principal=make_principal())

    response = api.bearer("GET", CLOSED, accept=accept)

    assert (read_error(response).status, read_error(response).message) == (status, message)
    assert response.get("WWW-Authenticate") == (REALM if status == 401 else None)


def test_invalid_user_when_the_account_was_disabled(api, accept):
    make_token(principal=make_principal(is_active=False))

    response = api.bearer("GET", "/platform/probe", accept=accept)

    assert (read_error(response).status, read_error(response).message) == (
        403,
        "Invalid user",
    )


def test_invalid_user_when_a_token_without_user_writes(api, accept):
    make_token(principal=None)

    response = api.bearer("POST", "/platform/probe", accept=accept)

    assert (read_error(response).status, read_error(response).message) == (
        403,
        "Invalid user",
    )


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        (f', principalID="{PRINCIPAL_ID}", principalIDNS="{NAMESPACE}"', 200),
        (f',principalidns="{NAMESPACE}" ,principalid="{PRINCIPAL_ID}"', 200),
        (', principalID="", principalIDNS=""', 200),
        (f', principalID="somebody", principalIDNS="{NAMESPACE}"', 403),
        (f', principalID="{PRINCIPAL_ID}"', 403),
    ],
)
def test_a_user_named_after_the_token_must_be_its_own(api, parameters, status):
    make_token(principal=make_principal())
    make_principal("somebody")
    header = f"Bearer {TOKEN}{parameters}"

    response = api.call("GET", "/platform/probe", header, accept="application/json")

    assert response.status_code == status
    assert response.json().get("message", "Invalid user") == "Invalid user"


def test_invalid_user_when_a_token_without_user_names_one(api):
    make_token(principal=None)
    make_principal()
    header = f'Bearer {TOKEN}, principalID="{PRINCIPAL_ID}", principalIDNS="{NAMESPACE}"'

    assert read_error(api.call("GET", "/platform/probe", header)).message == "Invalid user"


def test_missing_permission_for_another_institution_of_the_key(api, accept):
    make_token(key=make_wide_key(), principal=make_principal())
    url = f"/platform/probe?contextInstitutionId={OTHER_INSTITUTION}"

    error = read_error(api.bearer("GET", url, accept=accept))

    assert (error.status, error.message) == (403, "Missing permission")
    assert error.detail == (
        "the credentials are for institution 1001, the data is of institution 1002"
    )


def test_a_token_in_the_query_is_not_looked_at(api):
    make_token(principal=make_principal())

    response = api.call("GET", f"{CLOSED}?access_token={TOKEN}")

    assert read_error(response).message == "Authorization header is missing"


def test_a_bearer_call_asks_this_app_for_no_query(api, django_assert_num_queries, db):
    make_token(principal=make_principal(permissions={PERMISSION}))

    with django_assert_num_queries(0):  # the store's one query is the store's
        api.bearer("GET", CLOSED)
