"""Each misconfiguration has an id, and the test settings have none of them."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client
from django.utils import timezone

from authserver import checks
from authserver.models import ServiceKey
from authserver.tests import factories
from authserver.tests.oauth_client import TokenClient


def ids():
    return [message.id for message in checks.check_settings()]


@pytest.fixture
def configure(settings):
    def configure(**changes):
        settings.AUTHSERVER = {**settings.AUTHSERVER, **changes}

    return configure


def test_the_settings_of_the_tests_are_fine():
    assert ids() == []


def test_encryption_keys_are_needed(configure):
    configure(ENCRYPTION_KEYS=[])

    assert ids() == ["authserver.E001"]


@pytest.mark.parametrize("key", ["short", "é" * 44, "0" * 42])
def test_encryption_keys_must_work(configure, settings, key):
    configure(ENCRYPTION_KEYS=[*settings.AUTHSERVER["ENCRYPTION_KEYS"], key])

    assert ids() == ["authserver.E002"]


@pytest.mark.parametrize("name", checks.SWAPPED)
def test_every_model_must_be_ours(settings, name):
    setattr(settings, name, "oauth2_provider.Other")

    assert ids() == ["authserver.E003"]


@pytest.mark.parametrize("name", checks.CLASSES)
def test_every_class_must_be_ours(settings, name):
    settings.OAUTH2_PROVIDER = {
        other: value for other, value in settings.OAUTH2_PROVIDER.items() if other != name
    }

    assert ids() == ["authserver.E004"]


def test_the_templates_of_admin_pages_must_be_installed(settings):
    settings.INSTALLED_APPS = [
        name for name in settings.INSTALLED_APPS if name != "institution_admin"
    ]

    assert ids() == ["authserver.E011"]


@pytest.mark.parametrize(
    "issuer",
    ["", "example.org", "https://as.example/", "https://as.example/path", "https://"],
)
def test_the_issuer_is_an_origin(configure, issuer):
    configure(ISSUER=issuer)

    assert ids() == ["authserver.E005"]


@pytest.mark.parametrize(
    "name",
    [
        "ACCESS_TOKEN_SECONDS",
        "CODE_SECONDS",
        "REFRESH_TOKEN_SECONDS",
        "PENDING_REQUEST_SECONDS",
        "CONSENT_DAYS",
        "CLIENT_FAILURE_WINDOW_SECONDS",
    ],
)
def test_lifetimes_are_positive(configure, name):
    configure(**{name: 0})

    assert ids() == ["authserver.E006"]


def test_a_code_is_short_lived(configure):
    configure(CODE_SECONDS=601)

    assert ids() == ["authserver.W001"]


def test_no_request_is_one_transaction(settings, monkeypatch):
    monkeypatch.setitem(settings.DATABASES["default"], "ATOMIC_REQUESTS", True)

    assert ids() == ["authserver.E007"]


def test_the_login_limits_must_be_wired(settings):
    settings.MIDDLEWARE = [
        path for path in settings.MIDDLEWARE if path != checks.LIMIT_MIDDLEWARE
    ]

    assert ids() == ["authserver.E008"]


@pytest.mark.parametrize(
    "limits",
    [None, "10/900s/key", "100/900s/ip", "0/900s/key,100/900s/ip", "1/0s/key,1/0s/ip"],
)
def test_logins_are_limited_by_account_and_by_address(settings, limits):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": limits}

    assert ids() == ["authserver.E008"]


@pytest.mark.parametrize(
    ("sends", "tasks", "found"),
    [
        (True, {}, ["authserver.W002"]),
        (True, {"default": {"BACKEND": checks.IMMEDIATE}}, ["authserver.W002"]),
        (True, {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}, []),
        (False, {}, []),
    ],
)
def test_mail_must_not_be_sent_while_a_page_is_answered(
    configure, settings, sends, tasks, found
):
    configure(SENDS_MAIL=sends)
    settings.TASKS = tasks

    assert ids() == found


OTHER = "b3RoZXItdGVzdC1rZXktb2YtMzItYnl0ZXMtbG9uZyE="


@pytest.fixture
def secrets():
    """Make a key of long ago and one of today."""
    for client_id, days in (("old", 400), ("new", 0)):
        factories.ServiceKeyFactory(
            client_id=client_id,
            secret="s",
            secret_created_at=timezone.now() - timedelta(days=days),
        )


def stored_secrets():
    return [each.id for each in checks.check_stored_secrets(databases=["default"])]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_secrets_that_no_encryption_key_decrypts_stop_the_start(secrets, configure):
    before = stored_secrets()
    configure(ENCRYPTION_KEYS=[OTHER])

    assert (before, stored_secrets()) == ([], ["authserver.E010"])
    with pytest.raises(SystemCheckError, match="do not decrypt the secret of new"):
        call_command("check", databases=["default"])


@pytest.mark.django_db
def test_a_key_that_was_dropped_before_all_was_encrypted_anew_is_warned_of(
    secrets, configure, settings
):
    configure(ENCRYPTION_KEYS=[OTHER])
    key = ServiceKey.objects.get(client_id="new")
    key.set_secret("fresh", now=timezone.now(), keep_previous=False)
    key.save()

    assert stored_secrets() == ["authserver.W003"]


@pytest.mark.both_databases
def test_the_secrets_of_identity_providers_are_read_too(configure, db):
    factories.SignInMethodFactory()
    newest = factories.SignInMethodFactory()
    factories.SignInMethodFactory(encrypted_secret="")
    configure(ENCRYPTION_KEYS=[OTHER])

    (found,) = checks.check_stored_secrets(databases=["default"])

    assert found.id == "authserver.E010"
    assert found.msg.endswith(f"the secret of identity provider {newest.pk}.")
    newest.set_secret("fresh")
    newest.save()
    assert stored_secrets() == ["authserver.W003"]


@pytest.mark.django_db
def test_every_kind_of_secret_is_named_that_cannot_be_read(secrets, configure):
    factories.SignInMethodFactory()
    configure(ENCRYPTION_KEYS=[OTHER])

    assert stored_secrets() == ["authserver.E010", "authserver.E010"]


@pytest.mark.django_db
def test_nothing_is_read_unless_a_database_is_checked(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert checks.check_stored_secrets(databases=None) == []


@pytest.mark.django_db
def test_a_secret_that_cannot_be_decrypted_has_a_reason_of_its_own(secrets, configure):
    configure(ENCRYPTION_KEYS=[OTHER])

    response = TokenClient(client=Client(raise_request_exception=False)).form(
        grant_type="client_credentials", client_id="new", client_secret="s"
    )

    assert response.status_code == 500
    assert response["x-svc-Reason"] == "secret_not_readable"


@pytest.mark.parametrize("app", checks.ALLAUTH)
def test_every_app_of_accounts_is_needed(settings, app):
    kept = [name for name in settings.INSTALLED_APPS if name != app]
    settings.INSTALLED_APPS = [name for name in kept if not name.startswith(f"{app}.")]

    assert "authserver.E012" in ids()


@pytest.mark.parametrize("name", checks.ACCOUNTS)
def test_the_settings_of_accounts_must_be_ours(settings, name):
    setattr(settings, name, "another")

    assert ids() == ["authserver.E013"]
