"""Signed requests: every refusal of spec 7.1, in the decided order (decisions 5)."""

import time

import pytest

from platform_errors.models import Nonce
from platform_errors.tests.clients import authorization, read_error
from platform_errors.tests.factories import (
    NAMESPACE,
    PERMISSION,
    PRINCIPAL_ID,
    make_key,
    make_principal,
    make_service,
    past,
)

pytestmark = pytest.mark.django_db

CLOSED = "/platform/closed"
CREDENTIALS = "/platform/credentials"
FULL_WIDTH = "\uff11\uff12\uff13"
ALICE = (PRINCIPAL_ID, NAMESPACE)


def test_a_checked_request_passes(api):
    make_key()
    make_principal(permissions={PERMISSION})

    response = api.signed("GET", CLOSED, principal=ALICE, accept="application/json")

    assert (response.status_code, response.json()) == (200, {"user": PRINCIPAL_ID})


def test_authorization_header_missing(api, accept):
    response = api.call("GET", CLOSED, accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "Authorization header is missing"


@pytest.mark.parametrize("blank", ["", " \t"])
@pytest.mark.parametrize("path", [CLOSED, "/platform/probe"], ids=["closed", "public"])
def test_a_blank_authorization_header_is_not_taken_for_none(api, path, blank):
    """Granian hands on a header with characters beyond ASCII as an empty one."""
    response = api.call("GET", path, blank)

    error = read_error(response)
    assert (error.status, error.message) == (401, "Authorization header is missing")
    assert error.detail.startswith("the Authorization header is blank, or")


@pytest.mark.parametrize(
    "header",
    [
        "Basic a2V5OnNlY3JldA==",
        "Digest username=key",
        "nonsense",
        "Bearer tk_1, Bearer tk_2",
        'Bearer tk_1, http://platform.example/hmac/v2/v1 clientId="key"',
        "Basic a2V5OnNlY3JldA==, Bearer tk_1",
        'http://platform.example/hmac/v2/v1 clientId="key",Bearer tk_1',
    ],
)
@pytest.mark.parametrize("path", [CLOSED, "/platform/probe"], ids=["closed", "public"])
def test_unknown_authorization_scheme(api, accept, header, path):
    response = api.call("GET", path, header, accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "Authorization header is not supported"


@pytest.mark.parametrize(
    ("parameters", "signature", "detail"),
    [
        ("", "", "parameter clientId is missing"),
        ("nonsense", "", 'parameters must be name="value", separated by commas'),
        ('timestamp="1", nonce="n", signature="s"', "s", "parameter clientId is missing"),
        ('clientId="key", nonce="n", signature="s"', "s", "parameter timestamp is missing"),
        ('clientId="key", timestamp="1", signature="s"', "s", "parameter nonce is missing"),
        ('clientId="key", timestamp="1", nonce="n"', "", "parameter signature is missing"),
        (
            'signature="s", clientId="key", CLIENTID="key", timestamp="1", nonce="n"',
            "s",
            "parameter clientId is repeated",
        ),
    ],
)
def test_signature_invalid_when_the_header_is_malformed(
    api, accept, parameters, signature, detail
):
    make_key()
    header = f"http://platform.example/hmac/v2/v1 {parameters}"

    error = read_error(api.call("GET", CLOSED, header, accept=accept))

    assert error.status == 401
    assert error.message == f"request has invalid signature ({signature})"
    assert error.detail == detail


EMPTY = ["{}, ", "{},", ", {}", "{}{}".format("{}", 8 * ",")]


@pytest.mark.parametrize("form", EMPTY)
def test_empty_elements_of_the_signed_header_are_ignored(api, form):
    make_key()
    scheme, _, parameters = authorization("GET", CREDENTIALS).partition(" ")

    response = api.call("GET", CREDENTIALS, f"{scheme} {form.format(parameters)}")

    assert response.status_code == 200


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("{},,,,,,,,,", "request has invalid signature ("),
        (",,,,,,,,,{}", "request has invalid signature ("),
        ("{}, Bearer tk_1", "Authorization header is not supported"),
        ("{},, Bearer tk_1", "Authorization header is not supported"),
        ("{},;", "request has invalid signature ("),
    ],
)
def test_what_is_not_an_empty_element_is_still_refused(api, form, message):
    make_key()
    scheme, _, parameters = authorization("GET", CREDENTIALS).partition(" ")

    error = read_error(api.call("GET", CREDENTIALS, f"{scheme} {form.format(parameters)}"))

    assert error.status == 401
    assert error.message.startswith(message)


def test_an_empty_element_does_not_make_a_used_nonce_new(api):
    make_key()
    header = authorization("GET", CREDENTIALS)

    answers = [api.call("GET", CREDENTIALS, f"{header}{end}") for end in ("", ", ", ",")]

    assert [answer.status_code for answer in answers] == [200, 401, 401]


def test_key_invalid(api, accept):
    response = api.signed("GET", CLOSED, client_id="nobody", accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "service key nobody is invalid"


def test_key_canceled(api, accept):
    make_key(status="canceled")

    response = api.signed("GET", CLOSED, accept=accept)

    assert read_error(response).status == 403
    assert read_error(response).message == "service key has been canceled"
    assert "WWW-Authenticate" not in response


def test_key_expired(api, accept):
    make_key(expires_at=past())

    response = api.signed("GET", CLOSED, accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "service key is expired"


def test_signature_invalid(api, accept):
    make_key()

    response = api.signed("GET", CLOSED, secret="another", signature="Zm9v", accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "request has invalid signature (Zm9v)"


@pytest.mark.parametrize("secrets", [(), (b"",)], ids=["none", "empty"])
def test_signature_invalid_for_a_key_without_a_secret(api, secrets):
    make_key(secrets=secrets)

    response = api.signed("GET", CLOSED, secret="")

    assert read_error(response).message.startswith("request has invalid signature (")


@pytest.mark.parametrize("secret", ["old-secret", "new-secret"])
def test_both_live_secrets_sign_during_a_rotation(api, secret):
    make_key(secrets=(b"new-secret", b"old-secret"))

    response = api.signed("GET", CREDENTIALS, secret=secret, accept="application/json")

    assert response.status_code == 200


def test_signature_invalid_when_the_method_was_changed(api):
    make_key()
    header = authorization("POST", CLOSED)

    assert read_error(api.call("GET", CLOSED, header)).status == 401


def test_signature_invalid_when_the_query_was_changed(api):
    make_key()
    header = authorization("GET", f"{CLOSED}?a=1")

    assert read_error(api.call("GET", f"{CLOSED}?a=2", header)).status == 401


@pytest.mark.parametrize("offset", [-301, 301])
def test_timestamp_invalid(api, accept, time_machine, offset):
    now = 1_800_000_000
    time_machine.move_to(now, tick=False)
    make_key()

    response = api.signed("GET", CLOSED, timestamp=str(now + offset), accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == (
        f"timestamp in request({now + offset}) is not valid; "
        f"current time on server is {now}"
    )


@pytest.mark.parametrize(
    "timestamp", ["soon", "1e9", "-1", "1234567890123", "", FULL_WIDTH]
)
def test_timestamp_invalid_when_it_is_no_unix_time(api, timestamp):
    make_key()

    error = read_error(api.signed("GET", CLOSED, timestamp=timestamp))

    expected = f"timestamp in request({timestamp}) is not valid; current time on server is "
    if timestamp == FULL_WIDTH:  # not ASCII, so the header itself is malformed
        expected = "request has invalid signature ("
    assert error.status == 401
    assert error.message.startswith(expected)


@pytest.mark.parametrize("offset", [-300, 300])
def test_a_clock_difference_within_the_window_passes(api, time_machine, offset):
    now = 1_800_000_000
    time_machine.move_to(now, tick=False)
    make_key()

    response = api.signed(
        "GET", CREDENTIALS, timestamp=str(now + offset), accept="application/json"
    )

    assert response.status_code == 200


def test_nonce_replayed(api, accept):
    make_key()
    header = authorization("GET", CREDENTIALS)
    api.call("GET", CREDENTIALS, header, accept="application/json")

    response = api.call("GET", CREDENTIALS, header, accept=accept)

    assert read_error(response).status == 401
    assert read_error(response).message == "nonce in request is not unique"


def test_a_nonce_may_come_again_with_another_timestamp_or_key(api):
    make_key()
    make_key("other")
    now = int(time.time())
    hows = [
        {"timestamp": str(now)},
        {"timestamp": str(now - 1)},
        {"timestamp": str(now), "client_id": "other"},
    ]

    statuses = [
        api.signed("GET", CREDENTIALS, nonce="n", accept=None, **how).status_code
        for how in hows
    ]

    assert statuses == [200, 200, 200]


@pytest.mark.parametrize(
    "spoiled",
    [{"secret": "another"}, {"timestamp": "1"}, {"client_id": "nobody"}],
    ids=["forged", "stale", "unknown key"],
)
def test_a_refused_request_burns_no_nonce(api, spoiled):
    make_key()

    assert api.signed("GET", CREDENTIALS, nonce="n", **spoiled).status_code == 401

    assert not Nonce.objects.exists()


LADDER = [
    ({"client_id": "nobody"}, 401, "service key nobody is invalid"),
    ({"client_id": "canceled"}, 403, "service key has been canceled"),
    ({"client_id": "expired"}, 401, "service key is expired"),
    ({}, 401, "request has invalid signature (Zm9v)"),
    ({"signature": None, "timestamp": "1"}, 401, "timestamp in request(1) is not valid"),
    ({"signature": None, "nonce": "used"}, 401, "nonce in request is not unique"),
    ({"signature": None}, 403, "Invalid scope(s): probe (Probe Service) [Expired]"),
]


@pytest.mark.parametrize(("how", "status", "message"), LADDER)
def test_the_first_wrong_rung_refuses(api, how, status, message):
    """Each request is wrong in everything that stands below its rung."""
    lapsed = [make_service(expires_at=past())]
    make_key(services=lapsed)
    make_key("canceled", services=lapsed, status="canceled", expires_at=past())
    make_key("expired", services=lapsed, expires_at=past())
    now = int(time.time())
    Nonce.objects.create(client_id="key", timestamp=now, nonce="used")
    how = {"signature": "Zm9v", "timestamp": str(now), **how}
    if how["signature"] is None:
        del how["signature"]

    error = read_error(
        api.signed("POST", f"{CLOSED}?contextInstitutionId=9", principal=("x", "y"), **how)
    )

    assert error.status == status
    assert error.message.startswith(message)


@pytest.mark.parametrize("query", ["q=%", "q=%zz", "q=%ff", "%C3=1"])
def test_malformed_request_when_the_query_does_not_decode(api, accept, query):
    make_key()
    header = authorization("GET", CLOSED)

    response = api.call("GET", f"{CLOSED}?{query}", header, accept=accept)

    assert read_error(response).status == 400
    assert read_error(response).message == "Bad Request"
    assert read_error(response).detail.startswith("the query string ")


@pytest.mark.parametrize(("old_generation", "status"), [(True, 200), (False, 401)])
def test_only_an_old_generation_key_may_sign_a_literal_plus(api, old_generation, status):
    make_key(old_generation=old_generation)
    header = authorization("GET", f"{CREDENTIALS}?q=a%2Bb")

    response = api.call("GET", f"{CREDENTIALS}?q=a+b", header, accept=None)

    assert response.status_code == status


@pytest.mark.parametrize(("old_generation", "status"), [(True, 200), (False, 401)])
@pytest.mark.parametrize(
    ("signed", "sent"),
    [
        ("start_date=2026-01-01%252000:00:00", "start_date=2026-01-01%2000:00:00"),
        ("search=%25C3%25A9", "search=%C3%A9"),
    ],
)
def test_only_an_old_generation_key_may_sign_the_query_as_it_stands(
    api, old_generation, status, signed, sent
):
    make_key(old_generation=old_generation)
    header = authorization("GET", f"{CREDENTIALS}?{signed}")

    response = api.call("GET", f"{CREDENTIALS}?{sent}", header, accept=None)

    assert response.status_code == status


@pytest.mark.parametrize("more", ["&b=", "&b", "&a=c%2520d"])
def test_the_query_as_it_stands_has_no_repeated_or_empty_parameters(api, more):
    make_key(old_generation=True)
    header = authorization("GET", f"{CREDENTIALS}?a=%2520{more}")

    response = api.call(
        "GET", f"{CREDENTIALS}?a=%20{more.replace('%25', '%')}", header, accept=None
    )

    assert response.status_code == 401


def test_a_checked_request_costs_one_write_beside_the_lookup(
    api, django_assert_num_queries
):
    make_key()
    make_principal(permissions={PERMISSION})

    with django_assert_num_queries(1):  # the nonce; this store has no database
        api.signed("GET", CLOSED, principal=ALICE)
