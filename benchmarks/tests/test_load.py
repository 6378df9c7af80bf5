"""The ledger of the load: what counts as a broken promise, and what does not."""

import time

import pytest

from benchmarks.bench import Bench
from benchmarks.client import Answer, UnexpectedAnswer
from benchmarks.load import page, settlement, visits
from benchmarks.load.generator import Tally
from benchmarks.load.journeys import Mixture
from benchmarks.load.ledger import Document, Ledger, Used, broken_promises
from benchmarks.sections import mixture as part
from config.tests import loops

pytestmark = pytest.mark.nightly


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
        ({7: "run no. 1 change 2", 8: "run no. 2 change 0"}, "never acknowledged"),
    ],
    ids=["lost", "taken back", "never sent", "done twice", "done unasked"],
)
def test_a_broken_promise_is_reported(ledger, stored, words):
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


def test_what_was_used_is_tried_again_once(ledger):
    ledger.used.codes.append((1.0, "auth_a"))

    assert ledger.take_used().codes == [(1.0, "auth_a")]
    assert ledger.take_used().codes == []


def test_only_what_is_still_valid_is_used_again(monkeypatch):
    sent = []

    async def status(visit, method, path, headers, body=b""):
        sent.append((path, headers, body))
        return 200

    monkeypatch.setattr(settlement, "_status", status)
    now = time.time()
    used = Used(
        codes=[(now - 70, "auth_old"), (now - 5, "auth_new")],
        nonces=[(now - 400, {"Authorization": "old"}), (now - 5, {"Authorization": "new"})],
    )
    mixture = Mixture(Ledger(), [1])

    found = loops.run(settlement.used_up(1, mixture, used))

    assert found == ["a nonce worked twice: 200", "a code worked twice: 200"]
    assert mixture.ledger.tried == {"nonce": 1, "code": 1}
    assert sent[0][1] == {"Authorization": "new"}
    assert b"auth_new" in sent[1][2]


@pytest.mark.parametrize(
    ("given", "is_busy"), [(answer(200), False), (answer(503), False), (answer(0), True)]
)
def test_an_event_whose_change_got_no_answer_is_not_changed_again(given, is_busy):
    ledger = Ledger(created={7: "run no. 1"}, documents={7: Document()})
    mixture = Mixture(ledger, [1])

    class Answered:
        async def send(self, *_what, **_sent):
            return given

    loops.run(mixture.update(Answered()))

    assert ledger.documents[7].is_busy is is_busy


@pytest.fixture
def ended():
    """Return a load in which a promise was broken, a request failed, and memory grew."""
    tally = Tally()
    tally.take("list", answer(200), 4.0)
    tally.take("list", answer(500), 4.0)
    return page.Run(
        rate=1,
        seconds=8,
        tally=tally,
        samples=[[100.0 + number, 50.0] for number in range(8)],
        broken_promises=["a code worked twice: 200"],
        tried={"nonce": 3, "code": 1},
    )


def test_a_page_of_the_load_shows_memory_by_quarters_and_what_was_tried_again(ended):
    shown = page.of_load(ended, events=10)

    assert "101 + 50, 103 + 50, 105 + 50, 107 + 50 MiB" in " ".join(shown.split())
    assert "**Broken promise:** a code worked twice: 200" in shown
    assert "Tried again while valid: 1 codes, 3 nonces." in shown


def test_the_benchmarks_hold_the_load_to_its_goals(ended, monkeypatch):
    class Copies(Bench):
        def copy_of_calendar(self, label, name):
            return f"postgres://nowhere/{name}"

    monkeypatch.setattr(part, "run", lambda *_args, **_given: ended)
    bench = Copies(cluster=None)

    (section,) = part.measure(bench)

    errors, promises, memory = section.goals
    assert (errors.measured, errors.is_met) == (1, False)
    assert (promises.measured, promises.is_met) == (1, False)
    assert memory.measured == pytest.approx(157 / 151)
    assert "| list | 1 |" in section.table
    assert "**Broken promise:** a code worked twice: 200" in section.text


def test_a_code_is_taken_from_a_redirect_alone():
    back = "https://client.example/cb?code=auth_a-b_c&state=s"
    assert visits.code_of(answer(302, location=back)) == "auth_a-b_c"
    with pytest.raises(UnexpectedAnswer):
        visits.code_of(
            answer(302, location="https://client.example/cb?error=access_denied")
        )


def test_a_form_is_sent_with_the_token_and_the_scopes_of_its_page():
    form = answer(
        200,
        b'<input type="hidden" name="csrfmiddlewaretoken" value="abc">'
        b'<input type="checkbox" name="scope" value="one" checked>'
        b'<input type="checkbox" name="scope" value="two">',
    )
    assert visits.token_of(form) == "abc"
    assert visits.scopes_of(form) == ["one", "two"]
    with pytest.raises(UnexpectedAnswer):
        visits.token_of(answer(200, b"<p>nothing to send</p>"))


def test_the_mixture_is_a_hundred_arrivals():
    mixture = Mixture(ledger=Ledger(), events=[1])

    assert sum(weight for weight, _ in mixture.kinds().values()) == 100
