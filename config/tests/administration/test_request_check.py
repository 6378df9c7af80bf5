"""The page that says why a request is refused: as the server does, and without a trace."""

import time

import pytest
from django.urls import reverse

from authserver.models import (
    AuditEvent,
    KeyRefusal,
    PendingRequest,
    RefusalCount,
    ServiceKey,
)
from authserver.tests import factories
from platform_errors.conf import conf
from platform_errors.models import Nonce
from platform_errors.signing import algorithm, canonicalization
from platform_errors.tests.clients import authorization

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:authserver_servicekey_check")
EVENTS = "/platform/events/v1/events"
SECRET = "xyzzy-plugh-4711"


@pytest.fixture
def key(here):
    """On the institution of ``ines``, with the service of the calendar."""
    service = factories.ServiceFactory(code="calendar_events")
    return factories.ServiceKeyFactory(
        client_id="web", secret=SECRET, services=[service], institutions=[here.institution]
    )


def header(method="GET", url=EVENTS, **changes):
    values = {"client_id": "web", "secret": SECRET} | changes
    return authorization(method, url, **values)


def check(staff, value, *, method="GET", address=EVENTS, **more):
    """Send the form; return the trial that the page shows."""
    answer = staff.post(
        PAGE,
        **{
            "what": "signed",
            "s-method": method,
            "s-address": address,
            "s-authorization": value,
            **{f"s-{name}": text for name, text in more.items()},
        },
    )
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return answer.context["trial"]


def refused(trial):
    return [(rung, error.reason) for rung, error in trial.refusals]


def rows():
    models = (Nonce, AuditEvent, KeyRefusal, RefusalCount, PendingRequest)
    return [model.objects.count() for model in models]


def test_a_request_that_is_right_is_let_in_and_leaves_nothing(kim, key, client):
    before, value = rows(), header()

    for _ in range(2):
        trial = check(kim, value)
        assert (refused(trial), trial.passed[-1]) == ([], "permissions")

    assert rows() == before
    assert ServiceKey.objects.get(pk=key.pk).last_used_at is None
    assert client.get(EVENTS, HTTP_AUTHORIZATION=value).status_code == 200
    assert refused(check(kim, value)) == [("nonce", "nonce_replayed")]


@pytest.mark.parametrize(
    ("changes", "rung", "reason"),
    [
        ({"client_id": "nobody"}, "key", "key_invalid"),
        ({"secret": "another"}, "signature", "signature_invalid"),
        ({"nonce": ""}, "header", "signature_invalid"),
        ({"timestamp": "1"}, "clock", "timestamp_invalid"),
        ({"timestamp": "9" * 400}, "clock", "timestamp_invalid"),
        ({"timestamp": "\u0661"}, "header", "signature_invalid"),
    ],
)
def test_the_rung_that_refuses_is_the_servers(kim, key, client, changes, rung, reason):
    value = header(**changes)

    trial = check(kim, value)
    answer = client.get(EVENTS, HTTP_AUTHORIZATION=value)

    assert refused(trial) == [(rung, reason)]
    assert answer["x-svc-Reason"] == reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "canceled"}, "key_canceled"),
        ({"expires_at": "2020-01-01T00:00Z"}, "key_expired"),
    ],
)
def test_a_key_that_is_off_is_said_so(kim, key, change, reason):
    ServiceKey.objects.filter(pk=key.pk).update(**change)

    assert refused(check(kim, header())) == [("status", reason)]


@pytest.mark.parametrize("scheme", ["Bearer tk_1", "Basic eDp5", "x", 'http://x a="b"'])
def test_another_scheme_is_said_so(kim, key, scheme):
    assert refused(check(kim, scheme)) == [("header", "authorization_scheme_unknown")]


def test_what_the_view_asks_for_is_asked_also_of_a_request_of_before(kim, key):
    old = str(int(time.time()) - 9999)
    value = header("POST", timestamp=old)

    trial = check(kim, value, method="POST")

    assert refused(trial) == [
        ("clock", "timestamp_invalid"),
        ("permissions", "user_invalid"),
    ]


def test_an_address_is_read_as_the_server_reads_it(kim, key):
    written = EVENTS.replace("v1", "%76%31")

    trial = check(
        kim, header("DELETE", f"{written}/1"), method="DELETE", address=f"{written}/1"
    )

    assert refused(trial) == [("permissions", "user_invalid")]


def test_an_address_where_no_interface_is_asks_for_nothing_more(kim, key):
    for path in ("/nowhere", "/oauth2/token"):
        trial = check(kim, header(url=path), address=path)
        assert (refused(trial), trial.passed[-1]) == ([], "nonce")


def test_a_header_is_taken_with_its_name(kim, key):
    assert refused(check(kim, f"Authorization: {header()}")) == []


# --- What the client did ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signed", "words"),
    [
        (("POST", f"{EVENTS}?search=a+b"), "The method line: POST was signed."),
        (("GET", EVENTS), "The query lines: none was signed."),
        (("GET", f"{EVENTS}?search=a%2Bb"), "The query lines: encoded as clients of"),
    ],
)
def test_a_line_that_differs_is_found_out(kim, key, signed, words):
    trial = check(kim, header(*signed), address=f"{EVENTS}?search=a+b")

    assert refused(trial) == [("signature", "signature_invalid")]
    assert [guess[: len(words)] for guess in trial.guesses] == [words]


def signed_by_hand(message, secret=SECRET):
    """A header whose signature is over a text of one's own."""
    parts = algorithm.parse_header(header().partition(" ")[2])
    text = message(parts)
    parts = algorithm.SignedHeader(
        client_id=parts.client_id,
        timestamp=parts.timestamp,
        nonce=parts.nonce,
        signature=algorithm.sign(text, secret.encode()),
    )
    return algorithm.build_header(parts, scheme=conf.hmac_scheme_url), text.decode()


def lines(target):
    def message(parts):
        query = canonicalization.canonical_query(b"")
        return algorithm.string_to_sign(
            parts, method="GET", target=target, query_lines=query
        )

    return message


TARGET = algorithm.signature_target("https://platform.example/signature")
REAL = algorithm.signature_target(f"https://api.example{EVENTS}")


@pytest.mark.parametrize(
    ("message", "secret", "words"),
    [
        (lines(REAL), SECRET, "The lines of host, port and path: those of the address"),
        (lines(TARGET), f"{SECRET}\n", "The secret: a line end was taken"),
        (lambda parts: lines(TARGET)(parts)[:-1], SECRET, "The last line: it ends with"),
    ],
    ids=["address", "secret", "last line"],
)
def test_usual_mistakes_are_told(kim, key, message, secret, words):
    value, _ = signed_by_hand(message, secret)

    trial = check(kim, value, address=f"https://api.example{EVENTS}")

    assert [guess[: len(words)] for guess in trial.guesses] == [words]


def test_the_clients_own_string_is_compared_line_by_line(kim, key):
    value, text = signed_by_hand(lines(REAL))

    trial = check(kim, value, signed_text=text.replace("\n", "\r\n"))

    assert [(line.number, line.name, line.ours) for line in trial.differences] == [
        (6, "host", "platform.example"),
        (8, "path", "/signature"),
    ]
    value, text = signed_by_hand(lines(TARGET), "another")
    assert check(kim, value, signed_text=text).differences == []


def test_a_query_that_cannot_be_decoded_is_said_so(kim, key):
    trial = check(kim, header(), address=f"{EVENTS}?a=%zz")

    assert refused(trial) == [("signature", "request_malformed")]


# --- No oracle ----------------------------------------------------------------------------


def test_the_right_signature_and_the_secret_are_never_told(kim, key):
    right = header(nonce="n", timestamp="1700000000")
    signature = algorithm.parse_header(right.partition(" ")[2]).signature
    wrong = header(nonce="n", timestamp="1700000000", secret="another")

    answer = kim.post(
        PAGE,
        **{
            "what": "signed",
            "s-method": "GET",
            "s-address": EVENTS,
            "s-authorization": wrong,
            "s-signed_text": "web",
        },
    )

    page = answer.content.decode()
    assert "1700000000" in page  # the string to sign
    assert signature not in page
    assert SECRET not in page


@pytest.mark.parametrize(
    "fields",
    [
        {"s-address": "/" + "x" * 8192},
        {"s-authorization": "x" * 8193},
        {"s-signed_text": "x" * 16_385},
        {"s-address": "http://[", "s-authorization": "x"},
        {"s-address": "http://host:port/", "s-authorization": "x"},
        {"s-address": "nothing"},
        {"s-method": "BREW"},
        {"s-address": "/\x00"},
    ],
)
def test_what_is_too_long_or_nonsense_is_not_looked_at(kim, key, fields):
    form = {"what": "signed", "s-method": "GET", "s-address": EVENTS}
    answer = kim.post(PAGE, **form | {"s-authorization": header()} | fields)

    assert answer.status_code == 200
    assert answer.context["trial"] is None
    assert answer.context["signed"].errors


# --- Whose business -----------------------------------------------------------------------


def test_an_institution_checks_requests_of_its_own_keys_alone(ines, uma, key, there):
    foreign = factories.ServiceKeyFactory(
        client_id="theirs", secret=SECRET, institutions=[there.institution]
    )
    value = header(client_id=foreign.client_id)

    assert refused(check(ines, header())) == []
    assert refused(check(uma, value)) == [("permissions", "service_not_on_key")]
    unknown = check(ines, header(client_id="nobody"))
    theirs = check(ines, value)
    assert refused(theirs) == refused(unknown) == [("key", "key_invalid")]
    assert theirs.guesses == []


def test_who_sees_no_keys_checks_nothing(staff, here, client):
    erin = staff("editor", at=here.institution)

    assert erin.get(PAGE).status_code == 403
    assert erin.post(PAGE, what="signed").status_code == 403
    assert client.get(PAGE).status_code == 302


def test_who_sees_keys_is_led_here(ines, kim, key):
    for address in ("changelist", "change"):
        arguments = [key.pk] if address == "change" else []
        url = reverse(f"admin:authserver_servicekey_{address}", args=arguments)
        for someone in (ines, kim):
            assert PAGE in someone.get(url).content.decode()
