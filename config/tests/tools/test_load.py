"""The ledger of the load: what counts as a broken promise, and what does not."""

import os
from dataclasses import replace

import pytest

from benchmarks.client import Answer, UnexpectedAnswer
from benchmarks.load import disks, visits
from benchmarks.load.chaos import Finding
from benchmarks.load.faults import FAULTS
from benchmarks.load.generator import Tally
from benchmarks.load.journeys import Mixture
from benchmarks.load.ledger import Document, Ledger, broken_promises
from benchmarks.seed.constants import Accounts


def answer(status, body=b"", **headers):
    return Answer(status=status, headers=headers, body=body)


@pytest.fixture
def ledger():
    return Ledger(created={7: "run no. 1"}, documents={7: Document(sent=3, acknowledged=2)})


@pytest.mark.parametrize("change", [2, 3])
def test_an_acknowledged_change_is_there_or_a_later_one(ledger, change):
    assert broken_promises(ledger, {7: f"run no. 1 change {change}"}) == []


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ({}, "created and is not there"),
        ({7: "run no. 1 change 1"}, "change 2 was acknowledged"),
        ({7: "run no. 1 change 4"}, "change 2 was acknowledged"),
        ({7: "run no. 1 change 2", 8: "run no. 1 change 0"}, "created 2 times"),
        ({7: "run no. 1 change 2", 8: "run no. 2 change 0"}, "nobody was told"),
    ],
    ids=["lost", "taken back", "never sent", "done twice", "done unasked"],
)
def test_a_broken_promise_is_told(ledger, stored, words):
    (told,) = broken_promises(ledger, stored)
    assert words in told


def test_an_answer_counts_as_what_it_is():
    tally = Tally()
    for given in (
        answer(200),
        answer(503, **{"retry-after": "1"}),
        answer(503),
        answer(401),
        answer(visits.BROKEN),
    ):
        tally.take("list", given, 4.0)

    assert tally.milliseconds == {"list": [4.0]}
    assert tally.refused == {"list": 1}
    assert tally.faults == {"503 list": 1, "401 list": 1}
    assert tally.broken == {"list": 1}
    assert tally.last_trouble


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            b'{"message":"Service Unavailable","detail":"the server is busy"}',
            "the server is busy",
        ),
        (b'<h1 class="first">\n  The server is busy</h1>', "The server is busy"),
        (b"The service is not available now.", "The service is not available now."),
    ],
    ids=["an interface", "a page", "nginx"],
)
def test_why_a_request_was_refused_is_counted_in_words(body, words):
    tally = Tally()
    tally.take("list", answer(503, body, **{"retry-after": "1"}), 4.0)

    assert tally.reasons == {words: 1}


def test_a_fault_excuses_the_errors_that_it_means_alone():
    fault = replace(FAULTS["a host's clock an hour fast"], missing="")
    tally = Tally()
    for work in ("signed list", "create"):
        tally.take(work, answer(401), 4.0)

    finding = Finding(
        fault=fault, lasted=1.0, recovered=0.0, tally=tally, broken_promises=[]
    )

    assert finding.faults == {"401 create": 1}


def test_what_was_used_is_tried_again_once(ledger):
    ledger.used.codes.append("auth_a")

    assert ledger.take_used().codes == ["auth_a"]
    assert ledger.take_used().codes == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_small_disk_can_be_filled_and_cleared(tmp_path):
    with disks.small(tmp_path / "disk", 1):
        disks.fill(tmp_path / "disk")
        with pytest.raises(OSError, match="No space left"):
            (tmp_path / "disk" / "more").write_bytes(b"more")
        disks.clear(tmp_path / "disk")
        (tmp_path / "disk" / "more").write_bytes(b"more")

    assert not (tmp_path / "disk" / "more").exists()


def test_a_code_is_taken_from_a_redirect_alone():
    back = "https://client.example/cb?code=auth_a-b_c&state=s"
    assert visits.code_of(answer(302, location=back)) == "auth_a-b_c"
    with pytest.raises(UnexpectedAnswer):
        visits.code_of(
            answer(302, location="https://client.example/cb?error=access_denied")
        )


def test_a_form_is_sent_with_the_token_and_the_scopes_of_its_page():
    page = answer(
        200,
        b'<input type="hidden" name="csrfmiddlewaretoken" value="abc">'
        b'<input type="checkbox" name="scope" value="one" checked>'
        b'<input type="checkbox" name="scope" value="two">',
    )
    assert visits.token_of(page) == "abc"
    assert visits.scopes_of(page) == ["one", "two"]
    with pytest.raises(UnexpectedAnswer):
        visits.token_of(answer(200, b"<p>nothing to send</p>"))


def test_the_mixture_is_a_hundred_arrivals():
    accounts = Accounts(author=1, principal_id="p", principal_namespace="n")
    mixture = Mixture(
        accounts=accounts, ledger=Ledger(), events=[1], authorization="/oauth2/"
    )

    assert sum(weight for weight, _ in mixture.kinds().values()) == 100


def test_a_fault_is_named_once():
    assert all(name == fault.name for name, fault in FAULTS.items())
    assert len({fault.begin for fault in FAULTS.values()}) == len(FAULTS)
