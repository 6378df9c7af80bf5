"""The audit record: who did it, and to whose account; what became of older rows."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.urls import reverse

from authserver import audit
from authserver.models import AuditEvent
from authserver.tests import factories
from platform_errors.http.client_address import current_client_address

pytestmark = pytest.mark.both_databases

Action = AuditEvent.Action
BEFORE = [("authserver", "0004_audit_of_institutions_and_unlocking")]
AFTER = [("authserver", "0005_audit_actor_and_subject")]


def page(name, pk):
    return reverse(f"admin:authserver_{name}_change", args=[pk])


@pytest.fixture
def what_the_administrator_did(desk, alice, key, riverside):
    """Make a secret, change an account and an institution, revoke a token."""
    token = factories.AccessTokenFactory(user=alice, application=key)
    desk.open(reverse("admin:authserver_servicekey_rotate_secret", args=[key.pk]))
    desk.press("Make a secret")
    desk.open(page("user", alice.pk))
    desk.press("_save=Save", without=["is_active"])
    desk.open(page("institution", riverside.pk))
    desk.press("_save=Save", place="Riverbank")
    desk.open(reverse("admin:authserver_accesstoken_changelist"))
    desk.press("Go", action="revoke", _selected_action=[str(token.pk)])


@pytest.mark.django_db
@pytest.mark.usefixtures("what_the_administrator_did")
def test_what_an_administrator_did_is_one_search(desk):
    done = AuditEvent.objects.filter(actor="admin").exclude(subject="admin")

    assert set(done.values_list("action", "subject", "client_id", "registry_id")) == {
        ("secret_created", "", "spa", ""),
        ("account_changed", "alice@1001", "", "1001"),
        ("institution_changed", "", "", "1001"),
        ("token_revoked", "alice@1001", "spa", "1001"),
    }
    desk.open(f"{reverse('admin:authserver_auditevent_changelist')}?q=admin")
    for action in ("Secret created", "Account changed", "Institution changed", "revoked"):
        assert action in desk.text


@pytest.mark.django_db
@pytest.mark.usefixtures("what_the_administrator_did")
def test_what_was_done_to_an_account_is_one_search():
    done = AuditEvent.objects.filter(subject="alice@1001")

    assert {event.action: event.actor for event in done} == {
        "account_changed": "admin",
        "token_revoked": "admin",
    }


@pytest.mark.django_db
def test_address_and_identifier_are_those_of_the_request_being_served(client):
    client.post("/oauth2/login", REMOTE_ADDR="192.0.2.7")

    audit.record(Action.LOGGED_OUT)

    event = AuditEvent.objects.get()
    assert (event.address, event.request_id) == ("", "")
    assert current_client_address() == ""


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["actor", "subject", "reason"])
def test_text_that_no_database_could_hold_is_recorded_all_the_same(column):
    audit.record(Action.LOGIN_FAILED, **{column: "a\x00\ud800" + "x" * 999})

    assert getattr(AuditEvent.objects.get(), column).startswith("a\ufffd\ufffdx")


@pytest.fixture
def migrate(transactional_db):
    """Go to a state of the database, and back to the newest at the end."""

    def go(targets):
        executor = MigrationExecutor(connection)
        executor.migrate(targets)
        return executor.loader.project_state(targets).apps

    yield go
    go(MigrationExecutor(connection).loader.graph.leaf_nodes())


OLD_ROWS = [
    # action, key, login, by, then what actor and subject become
    ("login_succeeded", "", "alice@1001", "", "alice@1001", "alice@1001"),
    ("login_failed", "", "alice@1001", "", "", "alice@1001"),
    ("access_denied", "spa", "", "", "", ""),
    ("token_issued", "spa", "alice@1001", "", "spa", "alice@1001"),
    ("token_revoked", "spa", "alice@1001", "", "spa", "alice@1001"),
    ("token_revoked", "spa", "alice@1001", "admin", "admin", "alice@1001"),
    ("password_changed", "", "alice@1001", "", "alice@1001", "alice@1001"),
    ("password_changed", "", "alice@1001", "admin", "admin", "alice@1001"),
    ("account_changed", "", "alice@1001", "admin", "admin", "alice@1001"),
    ("login_unlocked", "", "alice@1001", "manage.py", "manage.py", "alice@1001"),
    ("key_changed", "spa", "admin", "", "admin", ""),
    ("secret_created", "spa", "admin", "", "admin", ""),
    ("institution_changed", "", "admin", "", "admin", ""),
]


@pytest.mark.nightly
def test_older_rows_get_their_actor_and_subject(migrate):
    events = migrate(BEFORE).get_model("authserver", "AuditEvent").objects
    for action, key, login, by, _, _ in OLD_ROWS:
        details = {"by": by} if by else {}
        events.create(action=action, client_id=key, login=login, details=details)

    events = migrate(AFTER).get_model("authserver", "AuditEvent").objects

    assert list(events.order_by("pk").values_list("actor", "subject")) == [
        (actor, subject) for *_, actor, subject in OLD_ROWS
    ]
    with pytest.raises(DatabaseError), transaction.atomic():
        events.update(actor="mallory")
    with pytest.raises(DatabaseError), transaction.atomic():
        events.all().delete()

    events = migrate(BEFORE).get_model("authserver", "AuditEvent").objects
    assert list(events.order_by("pk").values_list("login", flat=True)) == [
        login for _, _, login, *_ in OLD_ROWS
    ]
    with pytest.raises(DatabaseError), transaction.atomic():
        events.all().delete()


@pytest.mark.django_db
@pytest.mark.postgresql_only  # SQLite has one writer
def test_the_record_can_be_read_while_its_indexes_are_built():
    sql = StringIO()

    call_command("sqlmigrate", "authserver", "0016", stdout=sql)

    steps = [line for line in sql.getvalue().splitlines() if "INDEX" in line]
    drops = [step.startswith("DROP INDEX") for step in steps]
    assert drops == [False] * 5 + [True] * 2  # a dropped index locks out everybody
