"""An account with a mailbox, and a link that was sent there."""

import pytest

from authserver.tests.links import ask, link_in


@pytest.fixture
def alice(alice):
    alice.email = "alice@library.example"
    alice.save()
    return alice


@pytest.fixture
def link(visitor, mailbox, alice):
    ask(visitor, "alice")
    return link_in(mailbox.pop())
