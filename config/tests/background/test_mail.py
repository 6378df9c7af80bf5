"""Mail as a task: sent once, tried again while the server refuses, then shown as failed."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from authserver.accounts import mail, password_links
from authserver.crypto import encryption
from authserver.tests import factories
from config.background import worker
from config.tests.background import smtp

pytestmark = pytest.mark.django_db


@pytest.fixture
def institution():
    return factories.InstitutionFactory()


@pytest.fixture
def alice(institution):
    return factories.UserFactory(
        username="alice", institution=institution, email="alice@library.example"
    )


@pytest.fixture
def asked(alice, institution):
    password_links.ask(institution, "Alice@library.example")


@pytest.fixture
def through(settings):
    """Send through a mail server of a test."""

    def use(server):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
        return server

    return use


@pytest.fixture
def later(time_machine):
    time_machine.move_to(timezone.now(), tick=False)

    def go_on(seconds=0):
        time_machine.shift(timedelta(seconds=seconds))
        worker.Worker().run_once()

    return go_on


def failures():
    return list(DBTaskResult.objects.failed().values_list("task_path", flat=True))


def test_a_message_is_sent_once(asked, through, later):
    with smtp.server() as server:
        through(server)
        later()
        later()

    (message,) = server.messages
    assert "To: alice@library.example" in message
    assert "/oauth2/password/new?link=" in message


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        ({"RCPT": "550 no such user"}, "the mail server refused: 550"),
        ({"MAIL": "451 later"}, "the mail server refused: 451"),
        ({"DATA": "554 unwanted"}, "the mail server refused: 554"),
        (None, "the mail server failed: ConnectionRefusedError"),
    ],
)
def test_a_refused_message_is_tried_again_within_a_bound_and_then_failed(
    asked, through, later, settings, refusal, said
):
    settings.TASK_ATTEMPTS = 3
    with smtp.server(**(refusal or {})) as server:
        through(server)
        if refusal is None:
            settings.EMAIL_PORT = 1
        for _ in range(3):
            later(10_000)
            later(10_000)
        before = server.sessions
        later(100_000)

    row = DBTaskResult.objects.get(task_path__endswith="send_link")
    assert (row.status, len(row.worker_ids)) == ("FAILED", 3)
    assert row.traceback.strip().splitlines()[-1].endswith(f"MailRefused: {said}")
    assert "alice@" not in row.traceback
    assert server.sessions == before == (0 if refusal is None else 3)


def test_a_message_is_sent_when_the_server_takes_it_again(asked, through, later):
    with smtp.server(RCPT="451 greylisted") as server:
        through(server)
        later()
        server.refusals.clear()
        later(59)
        early = len(server.messages)
        later(10)

    assert (early, len(server.messages), failures()) == (0, 1, [])


def test_nothing_secret_is_stored_with_a_task(asked, through, later):
    with smtp.server() as server:
        through(server)
        later()

    (token,) = [
        line.partition("token=")[2].strip()
        for line in server.messages[0].replace("=\r\n", "").splitlines()
        if "token=" in line
    ]
    stored = str(list(DBTaskResult.objects.values())).lower()
    assert len(token) > 30
    assert token.lower() not in stored
    assert "alice" not in stored


def test_an_account_that_was_switched_off_meanwhile_gets_nothing(
    asked, alice, through, later
):
    (found,) = DBTaskResult.objects.all()
    found.task.call(*found.args_kwargs["args"])
    alice.is_active = False
    alice.save()

    with smtp.server() as server:
        through(server)
        later()

    assert (server.messages, failures()) == ([], [])


def test_a_request_that_is_gone_is_no_failure(db):
    password_links.find_accounts.call(12345, encryption.encrypt("alice"), "", "")
    password_links.send_link.call(12345, password_links.RESET)
    mail.send_notice.call(12345, "account/email/password_changed", "")
