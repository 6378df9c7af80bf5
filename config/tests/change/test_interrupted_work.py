"""Long commands, ended by a signal in the middle of a batch, and run again."""

import re
import signal
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from authserver import models
from authserver.crypto import encryption
from authserver.tests import factories
from calendar_events.models import DayCount, Taxonomy, Term
from calendar_events.models.guard import store_writes
from calendar_events.tests.factories import CategoryFactory, EventFactory
from calendar_events.tests.store.test_counters import counted, kept
from config.tests import prepared
from config.tests.change.processes import end, interrupt, run

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.processes,
    pytest.mark.nightly,
]

OLD = "dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE="
NEW = "bmV3LXRlc3Qta2V5LW9mLTMyLWJ5dGVzLWxvbmchISE="


@pytest.fixture
def environment(tmp_path):
    address = prepared.address(connection.settings_dict["NAME"])
    return prepared.server_environment(
        tmp_path, address, ENCRYPTION_KEYS=f"{NEW},{OLD}", LOG_FORMAT="json"
    )


@pytest.fixture
def keys():
    """Return 500 keys with a secret; a batch has 200."""
    return models.ServiceKey.objects.bulk_create(
        models.ServiceKey(
            client_id=f"key-{number}",
            name=f"Key {number}",
            client_type=models.ServiceKey.CLIENT_CONFIDENTIAL,
            encrypted_secret=encryption.encrypt(f"secret {number}"),
            secret_created_at=timezone.now(),
        )
        for number in range(500)
    )


def stored():
    return dict(models.ServiceKey.objects.values_list("client_id", "encrypted_secret"))


ROTATION = "authserver.crypto.encryption:rotate_encryption"


def test_secrets_are_re_encrypted_once_each(environment, keys, settings):
    before = stored()

    end(environment, ROTATION, "300", "reencrypt_secrets")

    halfway = stored()
    changed = {name for name in before if before[name] != halfway[name]}
    assert changed == {f"key-{number}" for number in range(200)}
    assert run(environment, "reencrypt_secrets") == ["300 of 500 service keys re-encrypted"]
    done = stored()
    assert {name for name in done if done[name] != halfway[name]} == set(before) - changed
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [NEW]}
    assert encryption.decrypt(done["key-499"]) == b"secret 499"


def test_what_has_expired_is_deleted_when_the_command_is_run_again(environment):
    for _ in range(5):
        factories.PendingRequestFactory(expires_at=timezone.now() - timedelta(days=1))
        factories.SessionFactory(expire_date=timezone.now() - timedelta(days=1))
    live = factories.PendingRequestFactory()

    end(
        *(environment, "django.db.models.deletion:Collector.delete", "2"),
        *("clear_expired", "--batch-size=2"),
    )

    assert models.PendingRequest.objects.count() == 4
    said = run(environment, "clear_expired", "--batch-size=2")
    assert {"3 authorization requests", "5 sessions"} <= set(said)
    assert models.PendingRequest.objects.get() == live


def test_a_calendar_is_rebuilt_from_where_it_was_left(environment):
    with store_writes():
        Term.objects.bulk_create(
            Term(
                taxonomy=Taxonomy.TAG,
                name=f"Term {number}",
                slug=f"term-{number}",
                institution="1001",
                created_at=timezone.now(),
                modified_at=timezone.now(),
            )
            for number in range(1200)
        )
    terms = list(Term.objects.order_by("pk").values_list("pk", flat=True))
    event = EventFactory(published_at=timezone.now(), terms=[CategoryFactory()])
    DayCount.objects.exclude(scope="writes").delete()

    *_, last = interrupt(
        *(environment, "calendar_events.store.saving:render", "700"),
        "rebuild_calendar",
        by=signal.SIGINT,
    )

    assert last == (
        "Interrupted: rebuild_calendar was stopped by SIGINT after 1,000 of 1,202 records; "
        f"rebuild_calendar --after term:{terms[999]} goes on."
    )
    rendered = Term.objects.exclude(fragment="").exclude(pk__gt=terms[-1])
    assert set(rendered.values_list("pk", flat=True)) == set(terms[:1000])
    with store_writes():
        rendered.update(search_text="not done again")
    resume = re.search(r"--after \S+", last)[0]
    assert run(environment, "rebuild_calendar", *resume.split()) == [
        "202 records rendered and counted."
    ]
    assert Term.objects.filter(search_text="not done again").count() == 1000
    assert not Term.objects.filter(fragment="").exists()
    assert kept() == counted()
    if connection.vendor == "postgresql":  # elsewhere events are counted each time
        assert kept()["all", f"{event.start_utc:%Y-%m-%d}"] == 1
