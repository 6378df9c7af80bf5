"""The refusal of a bad signature shows what the server signed (decisions 9)."""

import json
import string
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from platform_errors.errors.catalogue import EVIDENCE_LIMIT
from platform_errors.signing import algorithm, canonicalization
from platform_errors.tests.clients import Api, authorization, read_error
from platform_errors.tests.factories import SECRET, make_key, past

pytestmark = pytest.mark.django_db

PATH = "/platform/credentials"
QUERY = "search=yoga+class&per_page=5"
REQUEST = "GET\nplatform.example\n443\n/signature\nper_page=5\nsearch=yoga%20class\n"
TEXT = f"key\n{{}}\nn-1\n\n{REQUEST}"
NOW = "1386264196"


def forged(api, path, accept, *, query=QUERY, **how):
    how = {"timestamp": NOW, "nonce": "n-1", "signature": "Zm9v", **how}
    return api.signed("GET", f"{path}?{query}", accept=accept, **how)


def test_the_platform_s_json_shows_the_lines(api):
    make_key()

    members = forged(api, PATH, "application/json").json()

    assert list(members) == [
        *("code", "message", "detail", "reason", "canonical_request", "string_to_sign")
    ]
    assert members["message"] == members["detail"] == "request has invalid signature (Zm9v)"
    assert members["canonical_request"] == REQUEST
    assert members["string_to_sign"] == TEXT.format(NOW)


def test_the_xml_shows_the_lines_in_its_detail(api):
    make_key()

    error = read_error(forged(api, PATH, "application/xml"))

    assert error.message == "request has invalid signature (Zm9v)"
    assert error.detail == (
        "request has invalid signature (Zm9v); the server signed these lines:\n"
        f"{TEXT.format(NOW)}"
    )


def test_what_is_shown_makes_the_right_signature(api):
    """So a client's developer needs the secret and nothing else to find the fault."""
    make_key()
    text = forged(api, PATH, "application/json").json()["string_to_sign"]

    signature = algorithm.sign(text.encode(), SECRET.encode())
    response = forged(api, PATH, "application/json", signature=signature)

    assert response.json()["reason"] == "timestamp_invalid"


def test_a_key_without_a_secret_is_known_as_well(api):
    make_key(secrets=())

    assert forged(api, PATH, "application/json").json()["canonical_request"] == REQUEST


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (None, "key_invalid"),
        ({"status": "canceled"}, "key_canceled"),
        ({"expires_at": past()}, "key_expired"),
    ],
)
@pytest.mark.parametrize("accept", ["application/xml", "application/json"])
def test_an_unknown_or_inactive_key_is_told_nothing(api, fields, reason, accept):
    if fields is not None:
        make_key(**fields)

    response = forged(api, PATH, accept)

    assert response["x-svc-Reason"] == reason
    assert b"search" not in response.content
    assert b"signed these lines" not in response.content


def test_a_header_that_cannot_be_read_is_told_nothing(api):
    make_key()
    header = authorization("GET", PATH).replace('nonce="', 'nonce="\\x')

    members = api.call("GET", PATH, header, accept="application/json").json()

    assert list(members) == ["code", "message", "detail", "reason"]


@pytest.mark.parametrize("name", ["password", "code", "refresh_token", "code_verifier"])
@pytest.mark.parametrize("accept", ["application/xml", "application/json"])
def test_what_opens_a_door_is_not_shown(api, name, accept):
    make_key()

    response = forged(api, PATH, accept, query=f"a=1&{name}=opensesame")

    assert b"opensesame" not in response.content
    assert f"{name}=[redacted]".encode() in response.content
    assert b"a=1" in response.content


def test_a_long_query_is_cut(api):
    make_key()

    members = forged(
        api, PATH, "application/json", query=f"a={'x' * 2 * EVIDENCE_LIMIT}"
    ).json()

    for name in ("canonical_request", "string_to_sign"):
        assert len(members[name]) == EVIDENCE_LIMIT + 1
        assert members[name].endswith("x…")


SENT = st.text(alphabet=string.ascii_letters + "<>&%+=;/ \"'é\x00\x7f\u2028😀", max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(SENT, st.sampled_from(["GET", "POST", "OPTIONS"]))
def test_whatever_is_sent_the_document_is_valid_and_holds_the_lines(sent, method):
    make_key()
    url = f"{PATH}?q={quote(sent)}"
    expected = canonicalization.canonical_query(f"q={quote(sent)}".encode())
    api = Api()

    xml, as_json = (
        api.signed(method, url, accept=accept, signature="Zm9v")
        for accept in ("application/xml", "application/json")
    )

    assert etree.fromstring(xml.content)[2].text.endswith(expected)
    assert json.loads(as_json.content)["string_to_sign"].endswith(expected)
    assert SECRET.encode() not in xml.content + as_json.content
