"""The edge tells who was let in and who was not; who listens cannot break an answer."""

import pytest

from platform_errors.errors import signals
from platform_errors.tests.factories import make_key

pytestmark = pytest.mark.django_db

CLOSED = "/platform/closed"
CREDENTIALS = "/platform/credentials"


@pytest.fixture
def heard():
    """What the signals said, in their order."""
    said = []

    def used(client_id, **_rest):
        said.append(("used", client_id))

    def refused(client_id, reason, status_code, method, path, **_rest):
        said.append(("refused", client_id, reason, status_code, method, path))

    signals.key_used.connect(used)
    signals.request_refused.connect(refused)
    yield said
    signals.key_used.disconnect(used)
    signals.request_refused.disconnect(refused)


@pytest.fixture
def broken():
    def fail(**_said):
        raise RuntimeError("a receiver broke")

    for signal in (signals.key_used, signals.request_refused):
        signal.connect(fail)
    yield
    for signal in (signals.key_used, signals.request_refused):
        signal.disconnect(fail)


def test_a_request_that_was_let_in_is_a_use_of_its_key(api, heard):
    make_key()

    assert api.signed("GET", CREDENTIALS).status_code == 200

    assert heard == [("used", "key")]


def test_a_request_that_was_not_is_a_refusal_in_the_words_of_the_log(api, heard):
    make_key()

    api.signed("GET", f"{CREDENTIALS}?some=query", signature="wrong")
    api.call("GET", CREDENTIALS)  # which names no key

    assert heard == [("refused", "key", "signature_invalid", 401, "GET", CREDENTIALS)]


def test_a_known_caller_who_may_not_is_both(api, heard):
    make_key()

    assert api.signed("GET", CLOSED).status_code == 403

    assert [what for what, *_ in heard] == ["refused", "used"]


@pytest.mark.parametrize("signature", [{}, {"signature": "wrong"}], ids=["in", "out"])
def test_a_receiver_that_breaks_changes_nothing(api, broken, caplog, signature):
    make_key()

    response = api.signed("GET", CREDENTIALS, **signature)

    assert response.status_code == (401 if signature else 200)
    assert "a receiver broke" in caplog.text
