"""Every refusal has a reason that programs can act on, in every form of its document."""

import json

import pytest
from lxml import etree

from platform_errors.errors import catalogue
from platform_errors.tests.errors.test_documents import ALL, example
from platform_errors.tests.errors.test_handler import Teapot
from platform_errors.tests.factories import make_key, make_service, past

FAILING = "/platform/failing"
REASON = "x-svc-Reason"


@pytest.mark.parametrize("refusal_class", ALL, ids=lambda cls: cls.__name__)
def test_every_refusal_says_its_reason_in_every_format(api, fails_with, refusal_class):
    refusal = example(refusal_class)
    fails_with(refusal)

    xml = api.call("GET", FAILING, accept="application/xml")
    platform = api.call("GET", FAILING, accept="application/json")

    assert xml[REASON] == platform[REASON] == refusal.reason
    assert platform.json()["reason"] == refusal.reason
    assert xml["Content-Type"].startswith("application/xml")
    names = [etree.QName(child).localname for child in etree.fromstring(xml.content)]
    assert names == ["code", "message", "detail"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"status": "canceled"}, "service_canceled"),
        ({"status": "active", "expires_at": past()}, "service_expired"),
        (None, "service_not_on_key"),
    ],
)
@pytest.mark.django_db
def test_the_reason_says_what_is_wrong_with_a_service(api, status, reason):
    make_key(services=[] if status is None else [make_service(**status)])

    response = api.signed("GET", "/platform/closed", accept="application/json")

    assert (response.status_code, response.json()["reason"]) == (403, reason)


def test_several_services_with_different_faults_have_a_reason_of_their_own():
    problems = [("a", "A", "Canceled"), ("b", "B", "Expired")]

    assert catalogue.ScopesInvalid(problems).reason == "scopes_invalid"
    assert catalogue.ScopesInvalid(problems[:1] * 2).reason == "service_canceled"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/platform/nowhere", "resource_not_found"),
        ("/platform/terse/nowhere", "resource_not_found"),
        ("/platform/broken", "internal_error"),
    ],
)
def test_what_no_view_answered_has_a_reason_too(api, path, reason):
    assert api.call("GET", path)[REASON] == reason


def test_the_reason_of_a_host_that_is_not_ours(api):
    assert api.call("GET", FAILING, HTTP_HOST="evil.example")[REASON] == "request_malformed"


@pytest.mark.django_db
def test_a_success_has_no_reason(api):
    make_key()

    assert REASON not in api.signed("GET", "/platform/credentials")


def test_the_reason_s_header_has_the_name_that_is_set_and_scripts_may_read_it(api, change):
    change(REASON_HEADER="X-Vendor-Reason")

    response = api.call("GET", "/platform/nowhere")

    assert response["X-Vendor-Reason"] == "resource_not_found"
    assert "X-Vendor-Reason" in response["Access-Control-Expose-Headers"]


def test_a_refusal_links_to_its_explanation_where_there_is_one(api, change):
    plain = api.call("GET", "/platform/nowhere")
    change(ERROR_DOCUMENTATION_URL="https://docs.example/errors")
    linked = api.call("GET", "/platform/nowhere")

    assert "Link" not in plain
    assert linked["Link"] == '<https://docs.example/errors#resource_not_found>; rel="help"'
    assert "Link" in linked["Access-Control-Expose-Headers"]


def test_the_reason_of_a_third_party_s_refusal_is_the_general_one(api, fails_with):
    fails_with(Teapot())

    response = api.call("GET", FAILING, accept="application/json")

    assert (response.status_code, json.loads(response.content)["reason"]) == (
        418,
        "refused",
    )
