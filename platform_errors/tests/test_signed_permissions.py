"""Signed requests, once believed: service, institution, user (spec 7.2, spec 7.3)."""

import pytest

from platform_errors.tests.clients import read_error
from platform_errors.tests.factories import (
    INSTITUTION,
    NAMESPACE,
    OTHER_INSTITUTION,
    PERMISSION,
    PRINCIPAL_ID,
    SERVICE,
    make_key,
    make_principal,
    make_service,
    make_wide_key,
    past,
)

pytestmark = pytest.mark.django_db

CLOSED = "/platform/closed"
ALICE = (PRINCIPAL_ID, NAMESPACE)


@pytest.mark.parametrize(
    ("services", "why"),
    [
        ([], f"{SERVICE} ({SERVICE}) [Not on key]"),
        ([make_service(status="canceled")], f"{SERVICE} (Probe Service) [Canceled]"),
        ([make_service(expires_at=past())], f"{SERVICE} (Probe Service) [Expired]"),
        (
            [make_service(status="canceled", expires_at=past())],
            f"{SERVICE} (Probe Service) [Canceled]",
        ),
    ],
    ids=["not on key", "canceled", "expired", "both"],
)
def test_scopes_invalid(api, accept, services, why):
    make_key(services=services)

    response = api.signed("GET", CLOSED, accept=accept)

    assert read_error(response).status == 403
    assert read_error(response).message == f"Invalid scope(s): {why}"


@pytest.mark.parametrize("path", [CLOSED, "/platform/probe"], ids=["closed", "public"])
def test_institution_not_on_key(api, accept, path):
    make_key()

    response = api.signed("GET", f"{path}?contextInstitutionId=9", accept=accept)

    assert read_error(response).status == 403
    assert read_error(response).message == (
        "clientId key doesn't have access to contextInstitutionId 9"
    )


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("institutions", [frozenset(), frozenset({OTHER_INSTITUTION})])
def test_an_institution_that_the_key_lost_is_refused(api, institutions, method):
    make_key(institutions=institutions)
    make_principal(permissions={PERMISSION})
    url = f"/platform/probe?contextInstitutionId={INSTITUTION}"

    response = api.signed(method, url, principal=ALICE)

    assert read_error(response).status == 403
    assert read_error(response).message == (
        "clientId key doesn't have access to contextInstitutionId 1001"
    )


@pytest.mark.parametrize("institution", ["", INSTITUTION, OTHER_INSTITUTION])
def test_a_user_of_an_institution_that_the_key_lacks_never_acts(api, institution):
    make_key()
    make_principal("carol", OTHER_INSTITUTION, permissions={PERMISSION})
    url = f"/platform/credentials?contextInstitutionId={institution}"

    response = api.signed(
        "GET",
        url,
        principal=("carol", f"urn:platform:{OTHER_INSTITUTION}"),
        accept="application/json",
    )

    assert (response.status_code, response.json()) == (200, {"user": ""})


def test_institution_not_named(api, accept):
    make_wide_key()

    response = api.signed("POST", "/platform/probe", client_id="wide", accept=accept)

    assert read_error(response).status == 400
    assert read_error(response).message == (
        "required parameter 'contextInstitutionId' is missing or blank"
    )


def test_a_wide_key_acts_for_the_institution_it_names(api):
    make_wide_key()
    make_principal("carol", OTHER_INSTITUTION, permissions={PERMISSION})
    url = f"/platform/probe?contextInstitutionId={OTHER_INSTITUTION}"

    response = api.signed(
        "POST",
        url,
        client_id="wide",
        principal=("carol", f"urn:platform:{OTHER_INSTITUTION}"),
        body="{}",
        accept=None,
    )

    assert response.status_code == 201


def test_two_institutions_are_refused_after_the_credentials_were_checked(api):
    make_wide_key()
    url = "/platform/probe?contextInstitutionId=1001&contextInstitutionId=1002"

    response = api.signed("GET", url, client_id="wide", secret="another")

    assert read_error(response).status == 401


def test_two_institutions_in_the_query_are_refused(api, accept):
    make_wide_key()
    url = "/platform/probe?contextInstitutionId=1001&contextInstitutionId=1002"

    response = api.signed("GET", url, client_id="wide", accept=accept)

    assert read_error(response).status == 400
    assert read_error(response).message == "Invalid parameter(s): contextInstitutionId"


def test_invalid_user_when_one_is_required(api, accept):
    make_key()

    response = api.signed("POST", "/platform/probe", accept=accept)

    assert read_error(response).status == 403
    assert read_error(response).message == "Invalid user"
    assert read_error(response).detail == "principalID and/or principalIDNS is invalid"


@pytest.mark.parametrize("path", ["/platform/probe", "/platform/identity/v1"])
@pytest.mark.parametrize(
    ("principal", "query"),
    [
        (("nobody", NAMESPACE), ""),
        ((PRINCIPAL_ID, "urn:platform:9"), ""),
        ((PRINCIPAL_ID, ""), ""),
        (("", NAMESPACE), ""),
        (("", ""), f"principalID={PRINCIPAL_ID}"),
        (("", ""), "principalID=a%00b&principalIDNS=x"),
        (("", ""), f"principalID={'a' * 256}&principalIDNS={NAMESPACE}"),
        (ALICE, "principalID=disabled&principalIDNS=urn:platform:1001"),
        (ALICE, f"principalID={PRINCIPAL_ID}&principalID=x&principalIDNS={NAMESPACE}"),
        (("disabled", NAMESPACE), ""),
        (("carol", f"urn:platform:{OTHER_INSTITUTION}"), ""),
    ],
    ids=[
        "unknown",
        "unknown namespace",
        "half a pair",
        "other half",
        "half in the query",
        "control character",
        "oversize",
        "header and query differ",
        "query repeats",
        "disabled",
        "of another institution",
    ],
)
def test_invalid_user_when_one_is_stated(api, path, principal, query):
    make_key()
    make_principal()
    make_principal("disabled", is_active=False)
    make_principal("carol", OTHER_INSTITUTION)

    error = read_error(api.signed("GET", f"{path}?{query}", principal=principal))

    assert (error.status, error.message) == (403, "Invalid user")


@pytest.mark.parametrize(
    ("principal", "query"),
    [
        (ALICE, ""),
        (("", ""), f"principalID={PRINCIPAL_ID}&principalIDNS={NAMESPACE}"),
        (ALICE, f"principalID={PRINCIPAL_ID}&principalIDNS={NAMESPACE}"),
        (ALICE, "principalID=&principalIDNS="),
    ],
    ids=["header", "query", "both alike", "blank query"],
)
def test_a_user_is_named_in_the_header_or_the_query(api, principal, query):
    make_key()
    make_principal()

    response = api.signed(
        "GET", f"/platform/probe?{query}", principal=principal, accept="application/json"
    )

    assert response.json() == {"user": PRINCIPAL_ID}


def test_missing_permission(api, accept):
    make_key()
    make_principal(permissions=())

    response = api.signed("POST", "/platform/probe", principal=ALICE, accept=accept)

    assert read_error(response).status == 403
    assert read_error(response).message == "Missing permission"


def test_institution_comes_before_user_and_user_before_permission(api):
    make_key()
    make_principal(permissions=())
    url = "/platform/probe?contextInstitutionId="

    messages = [
        read_error(api.signed("POST", f"{url}{institution}", principal=who)).message
        for institution, who in [("9", ("x", "y")), (INSTITUTION, ("x", "y")), ("", ALICE)]
    ]

    assert messages == [
        "clientId key doesn't have access to contextInstitutionId 9",
        "Invalid user",
        "Missing permission",
    ]


@pytest.mark.parametrize("open_read", ["GET", "HEAD", "OPTIONS"])
def test_reads_are_open_without_credentials(api, open_read):
    assert api.call(open_read, "/platform/probe", accept=None).status_code == 200


def test_a_wide_key_may_read_without_naming_an_institution(api):
    make_wide_key()
    make_principal()

    response = api.signed(
        "GET",
        "/platform/probe",
        client_id="wide",
        principal=ALICE,
        accept="application/json",
    )

    assert response.json() == {"user": PRINCIPAL_ID}
