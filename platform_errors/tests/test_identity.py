"""The identity service: who the caller is, in XML and JSON, and in OpenAPI."""

import json
from datetime import UTC, datetime

import pytest
from drf_spectacular.generators import SchemaGenerator
from lxml import etree

from platform_errors.tests.clients import read_error
from platform_errors.tests.errors.test_documents import NS, schema
from platform_errors.tests.factories import (
    INSTITUTION,
    NAMESPACE,
    OTHER_INSTITUTION,
    PRINCIPAL_ID,
    make_key,
    make_principal,
    make_service,
    make_token,
    make_wide_key,
    past,
)

IDENTITY = "/platform/identity/v1"
NOW = 1_800_000_000
SERVICES = [
    make_service("b", "B & Co", status="canceled"),
    make_service("a", "A", expires_at=datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)),
    make_service("c", "C", expires_at=datetime(2020, 1, 1, tzinfo=UTC)),
]


@pytest.fixture(autouse=True)
def _clock(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.mark.django_db
@pytest.mark.parametrize("path", [IDENTITY, f"{IDENTITY}/"])
def test_a_signed_caller_learns_who_it_is(api, path):
    make_key(services=SERVICES)
    make_principal()

    response = api.signed(
        "GET", path, principal=(PRINCIPAL_ID, NAMESPACE), accept="application/json"
    )

    assert list(json.loads(response.content).items()) == [
        ("clientId", "key"),
        (
            "services",
            [
                {
                    "code": "a",
                    "name": "A",
                    "status": "active",
                    "expires": "2030-01-02 03:04:05Z",
                },
                {"code": "b", "name": "B & Co", "status": "canceled", "expires": ""},
                {
                    "code": "c",
                    "name": "C",
                    "status": "expired",
                    "expires": "2020-01-01 00:00:00Z",
                },
            ],
        ),
        ("contextInstitutionId", INSTITUTION),
        ("institutions", [INSTITUTION]),
        ("principalID", PRINCIPAL_ID),
        ("principalIDNS", NAMESPACE),
        ("serverTime", NOW),
    ]
    assert response["Cache-Control"] == "private, no-cache"
    assert response["Vary"] == "Accept, Authorization"


@pytest.mark.django_db
def test_the_xml_has_the_same_names_in_the_same_order(api):
    make_key(services=SERVICES)

    response = api.signed("GET", IDENTITY)

    root = etree.fromstring(response.content)
    schema("identity.xsd").assertValid(root)
    names = [etree.QName(child).localname for child in root]
    assert root.tag == f"{{{NS}}}identity"
    assert names == [
        "clientId",
        "services",
        "contextInstitutionId",
        "institutions",
        "principalID",
        "principalIDNS",
        "serverTime",
    ]
    assert root.findtext("r:services/r:service[2]/r:name", namespaces={"r": NS}) == "B & Co"
    assert (
        root.findtext("r:institutions/r:institution", namespaces={"r": NS}) == INSTITUTION
    )


@pytest.mark.django_db
def test_a_wide_key_without_institution_is_of_none(api):
    make_wide_key(services=[])

    members = api.signed(
        "GET", IDENTITY, client_id="wide", accept="application/json"
    ).json()

    assert members["contextInstitutionId"] == ""
    assert members["institutions"] == [INSTITUTION, OTHER_INSTITUTION]
    assert members["services"] == []


def test_a_bearer_learns_who_it_is(api):
    make_token(key=make_key(), expires_at=datetime(2030, 1, 1, tzinfo=UTC))

    members = api.bearer("GET", IDENTITY, accept="application/json").json()

    assert (members["clientId"], members["principalID"]) == ("key", "")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_it_is_read_only(api, accept, method):
    response = api.call(method, IDENTITY, accept=accept)

    assert read_error(response).status == 405
    assert response["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.django_db
def test_options_answers_with_its_methods_and_no_document(api):
    make_key()

    response = api.signed("OPTIONS", IDENTITY)

    assert (response.status_code, response.content) == (204, b"")
    assert response["Allow"] == "GET, HEAD, OPTIONS"
    assert response["Vary"] == "Accept, Authorization"
    assert "Content-Type" not in response


def test_it_needs_credentials(api, accept):
    response = api.call("GET", IDENTITY, accept=accept)

    assert read_error(response).status == 401
    assert response["WWW-Authenticate"] == 'Bearer realm="https://platform.example"'


def test_an_expired_service_is_no_reason_to_refuse(api):
    make_token(
        key=make_key(services=[make_service(expires_at=past())]),
        scopes=frozenset(),
        expires_at=datetime(2030, 1, 1, tzinfo=UTC),
    )

    assert api.bearer("GET", IDENTITY).status_code == 200


def test_the_openapi_description_is_valid_and_complete():
    from drf_spectacular.validation import validate_schema  # noqa: PLC0415 -- a second

    patterns = "platform_errors.urls"

    description = SchemaGenerator(urlconf=patterns).get_schema(public=True)

    validate_schema(description)
    operation = description["paths"]["/"]["get"]
    assert operation["security"] == [{"bearer": []}, {"oauth2": []}, {"hmac": []}]
    assert set(operation["responses"]) == {"200", "400", "401", "403", "405", "406"}
    assert set(operation["responses"]["401"]["content"]) == {
        "application/xml",
        "application/json",
    }
    components = description["components"]
    assert set(components["securitySchemes"]) == {"bearer", "oauth2", "hmac"}
    assert set(components["schemas"]) >= {"Identity", "PlatformError"}
