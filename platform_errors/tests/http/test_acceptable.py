"""Answers that the caller would not take are 406, after everything else (spec 7.4)."""

import pytest

from platform_errors.models import Nonce
from platform_errors.tests.clients import read_error

FAILING = "/platform/failing"


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_not_acceptable(api, method):
    response = api.call(method, "/platform/probe", accept="text/plain")

    assert read_error(response).status == 406
    assert read_error(response).message == "Not Acceptable"
    assert read_error(response).detail == "available: application/xml, application/json"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/platform/closed", 401),
        ("GET", FAILING, 500),
        ("DELETE", "/platform/probe", 405),
        ("DISPATCH", "/platform/probe", 405),
        ("GET", "/platform/nowhere", 404),
    ],
)
def test_whatever_stands_in_the_way_comes_before_not_acceptable(api, method, path, status):
    assert read_error(api.call(method, path, accept="text/plain")).status == status


@pytest.mark.django_db
def test_a_write_whose_answer_is_not_acceptable_is_undone(api):
    body = {"data": b"{}", "content_type": "application/json"}

    refused = api.call("PUT", "/platform/writing", accept="text/plain", **body)
    kept = Nonce.objects.count()
    accepted = api.call("PUT", "/platform/writing", accept="application/json", **body)

    assert (read_error(refused).status, kept) == (406, 0)
    assert (accepted.status_code, Nonce.objects.count()) == (200, 1)


def test_what_is_no_success_is_not_turned_into_not_acceptable(api):
    assert api.call("GET", "/platform/writing", accept="text/plain").status_code == 304
