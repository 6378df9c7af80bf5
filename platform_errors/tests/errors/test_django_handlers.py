"""What breaks, and what no API view was there to answer: in the dialect of its mount."""

import logging

import pytest
from django.core.exceptions import (
    PermissionDenied,
    SuspiciousOperation,
)
from django.core.signals import got_request_exception
from django.http import Http404

from platform_errors.tests.clients import read_error

FAILING = "/platform/failing"


def test_internal_error_says_its_request_identifier_and_nothing_else(
    api, accept, fails_with, caplog
):
    fails_with(RuntimeError("an internal matter"))
    heard = []

    def hear(request, **_):
        heard.append(request.path)

    got_request_exception.connect(hear)

    with caplog.at_level(logging.ERROR, "platform_errors"):
        response = api.call("GET", FAILING, accept=accept)

    identifier = response["x-svc-RequestId"]
    assert read_error(response).detail == f"request identifier: {identifier}"
    assert b"internal matter" not in response.content
    assert heard == [FAILING]
    (record,) = [
        one for one in caplog.records if one.name == "platform_errors.errors.handler"
    ]
    assert "an internal matter" in record.exc_text


def test_a_path_cannot_start_a_line_in_the_log(api, fails_with, caplog):
    fails_with(RuntimeError("an internal matter"))

    api.call("GET", f"{FAILING}/one%0ACRITICAL%20all%20is%20lost")

    (record,) = [
        one for one in caplog.records if one.name == "platform_errors.errors.handler"
    ]
    assert record.getMessage() == (
        f"Internal Server Error: GET {FAILING}/one\\nCRITICAL all is lost"
    )


def test_a_broken_view_outside_of_drf_answers_in_the_dialect_of_its_mount(api):
    platform = api.call("GET", "/platform/broken", accept=None)
    terse = api.call("GET", "/platform/terse/broken", accept=None)

    assert read_error(platform).message == "Internal Server Error"
    assert read_error(platform).detail.endswith(platform["x-svc-RequestId"])
    assert terse.json() == {"error": "internal_error"}


@pytest.mark.parametrize(
    ("failure", "status"), [(SuspiciousOperation("x"), 400), (PermissionDenied("x"), 403)]
)
def test_django_s_own_refusals_answer_in_the_dialect_of_their_mount(
    api, accept, fails_with, failure, status
):
    fails_with(failure)

    assert read_error(api.call("GET", "/platform/broken", accept=accept)).status == status


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (RuntimeError("x"), 500),
        (SuspiciousOperation("x"), 400),
        (PermissionDenied("x"), 403),
        (Http404("x"), 404),
    ],
)
def test_a_page_keeps_django_s_error_pages(api, fails_with, failure, status):
    fails_with(failure)

    response = api.call("GET", "/broken", accept="text/html")

    assert (response.status_code, response["Content-Type"]) == (
        status,
        "text/html; charset=utf-8",
    )


def test_a_host_that_is_not_ours_is_refused_in_the_dialect_of_the_mount(api, accept):
    platform = api.call("GET", "/platform/probe", accept=accept, HTTP_HOST="evil.example")
    terse = api.call("GET", "/platform/terse/probe", HTTP_HOST="evil.example")

    assert read_error(platform).message == "Bad Request"
    assert platform["x-svc-RequestId"]
    assert (terse.status_code, terse.json()) == (400, {"error": "request_malformed"})
