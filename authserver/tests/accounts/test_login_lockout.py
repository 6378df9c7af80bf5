"""Too many failures: by account, by address, in Django admin too (decisions 10)."""

import datetime as dt
from http import HTTPStatus
from importlib import import_module
from types import SimpleNamespace

import pytest
from allauth.core.internal import ratelimit
from django.contrib.auth.signals import user_login_failed
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from authserver.accounts import login_limits
from authserver.models import AuditEvent
from authserver.tests import factories
from authserver.tests.locks import record_failures
from authserver.tests.visitor import Visitor
from authserver.views.pages.failures import in_words

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WRONG = "wrong"
migration = import_module(
    "authserver.migrations.0020_failed_logins_are_counted_in_the_cache"
)


@pytest.fixture(autouse=True)
def _shared_cache(settings, db):
    """Count in the table that is the default of a deployment."""
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "shared_cache",
        }
    }


@pytest.fixture
def try_login(clock, address, key, alice):
    """Try once, as one browser at an address; return the visitor."""

    def attempt(username="alice", password=WRONG, peer="192.0.2.1", at="1001"):
        visitor = Visitor(REMOTE_ADDR=peer)
        visitor.open(address(key, at=at))
        return visitor.press("Sign in", username=username, password=password)

    return attempt


def fail(attempt, times, **who):
    for _ in range(times):
        assert attempt(**who).status == HTTPStatus.OK


def test_the_eleventh_attempt_is_refused_with_words_and_a_time(try_login):
    fail(try_login, 10)

    visitor = try_login()

    assert visitor.status == HTTPStatus.TOO_MANY_REQUESTS
    assert visitor.response["Retry-After"] == "900"
    assert visitor.heading == "Too many attempts"
    assert "Please wait 15 minutes" in visitor.alert
    assert "no-store" in visitor.response["Cache-Control"]


def test_the_right_password_does_not_help_until_the_window_is_over(try_login, clock):
    fail(try_login, 10)
    clock(899)
    refused = try_login(password=factories.PASSWORD)
    clock(1)

    visitor = try_login(password=factories.PASSWORD)

    assert refused.status == HTTPStatus.TOO_MANY_REQUESTS
    assert refused.response["Retry-After"] == "1"
    assert visitor.heading == "Allow Campus Planner to act for you?"


def test_the_pause_does_not_grow(try_login, clock):
    fail(try_login, 10)
    clock(900)
    fail(try_login, 10)

    assert try_login().response["Retry-After"] == "900"


def test_one_fits_in_when_the_oldest_leaves_the_window(try_login, clock):
    fail(try_login, 1)
    clock(600)
    fail(try_login, 9)
    assert try_login().response["Retry-After"] == "300"
    clock(300)

    fail(try_login, 1)

    assert try_login().response["Retry-After"] == "600"


def test_refused_attempts_do_not_prolong_the_wait(try_login, clock):
    fail(try_login, 10)
    clock(20)

    assert try_login().response["Retry-After"] == "880"
    assert try_login().response["Retry-After"] == "880"


def test_success_clears_the_accounts_count(try_login, clock):
    fail(try_login, 9)
    assert try_login(password=factories.PASSWORD).status == HTTPStatus.OK
    clock(1)

    fail(try_login, 10)

    assert try_login().status == HTTPStatus.TOO_MANY_REQUESTS


def test_failures_older_than_fifteen_minutes_do_not_count(try_login, clock):
    fail(try_login, 9)
    clock(901)

    fail(try_login, 9)

    assert try_login(password=factories.PASSWORD).status == HTTPStatus.OK


def test_an_account_is_locked_where_the_server_knows_no_addresses(try_login):
    """Behind a socket file that no proxy is trusted on, everybody is at one place."""
    fail(try_login, 10, peer="")

    assert try_login(peer="").status == HTTPStatus.TOO_MANY_REQUESTS
    assert try_login(peer="", username="other").status == HTTPStatus.OK


def test_a_failure_outside_of_a_request_counts_for_nobody(db):
    user_login_failed.send(__name__, credentials={"username": "alice@1001"}, request=None)

    assert not AuditEvent.objects.exists()


def test_the_account_is_locked_from_every_address(try_login):
    fail(try_login, 10)

    assert try_login(peer="198.51.100.7").status == HTTPStatus.TOO_MANY_REQUESTS


def test_other_accounts_are_not_locked(try_login, riverside, northgate):
    factories.UserFactory(username="bob", institution=riverside)
    factories.UserFactory(username="alice", institution=northgate)
    fail(try_login, 10)

    for who in ({"username": "bob"}, {"username": "alice", "at": "1002"}):
        assert try_login(**who).status == HTTPStatus.OK


def test_an_account_that_does_not_exist_is_locked_alike(try_login):
    fail(try_login, 10, username="nobody")

    visitor = try_login(username="nobody")

    assert visitor.status == HTTPStatus.TOO_MANY_REQUESTS
    assert visitor.response["Retry-After"] == "900"


@pytest.mark.parametrize("spelling", ["ALICE", "\uff41\uff4c\uff49\uff43\uff45", " alice "])
def test_another_spelling_is_the_same_account(try_login, spelling):
    fail(try_login, 10)

    assert try_login(username=spelling).status == HTTPStatus.TOO_MANY_REQUESTS


def test_a_hundred_failures_from_one_address_lock_the_address(try_login):
    record_failures(99)
    fail(try_login, 1, username="one more")

    assert try_login(username="fresh").status == HTTPStatus.TOO_MANY_REQUESTS
    assert try_login(username="fresh", peer="192.0.2.2").status == HTTPStatus.OK


@pytest.mark.parametrize(
    ("seconds", "status"), [(899, HTTPStatus.TOO_MANY_REQUESTS), (900, HTTPStatus.OK)]
)
def test_the_lock_of_an_address_ends_to_the_second(try_login, clock, seconds, status):
    record_failures(100)
    clock(seconds)

    assert try_login(password=factories.PASSWORD).status == status


def test_a_browser_that_signed_in_before_waits_for_its_address_too(
    address, key, log_in, visitor, alice
):
    """No cookie says that a browser is known (decisions 10)."""
    visitor.open(address(key))
    log_in()
    record_failures(100, address="127.0.0.1")
    del visitor.client.cookies["session"]

    visitor.open(address(key))
    log_in()

    assert visitor.status == HTTPStatus.TOO_MANY_REQUESTS


def test_another_address_of_the_same_ipv6_network_does_not_help(try_login, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "10/900s/key,2/900s/ip"}
    fail(try_login, 1, username="one", peer="2001:db8:1:2::a")
    fail(try_login, 1, username="two", peer="2001:db8:1:2:ffff::b")

    neighbour = try_login(username="fresh", peer="2001:db8:1:2::c")

    assert neighbour.status == HTTPStatus.TOO_MANY_REQUESTS
    assert neighbour.response["Retry-After"] == "900"
    assert try_login(username="fresh", peer="2001:db8:1:3::a").status == HTTPStatus.OK


def test_the_record_names_the_address_and_not_its_network(try_login):
    fail(try_login, 1, peer="2001:db8:1:2::a")

    assert AuditEvent.objects.get(action="login_failed").address == "2001:db8:1:2::a"


def test_success_does_not_clear_the_count_of_the_address(try_login):
    record_failures(99)
    assert try_login(password=factories.PASSWORD).status == HTTPStatus.OK

    fail(try_login, 1)

    assert try_login().status == HTTPStatus.TOO_MANY_REQUESTS


def test_a_forwarded_address_counts_only_from_a_trusted_proxy(
    clock, address, key, alice, settings
):
    def attempt(forwarded):
        visitor = Visitor(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=forwarded)
        visitor.open(address(key))
        return visitor.press("Sign in", username="alice", password=WRONG)

    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "10/900s/key,2/900s/ip"}
    for _ in range(2):
        attempt("203.0.113.5")
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "TRUSTED_PROXIES": ["10.0.0.0/8"],
    }

    assert attempt("203.0.113.5").status == HTTPStatus.OK
    assert attempt("10.0.0.1").status == HTTPStatus.TOO_MANY_REQUESTS


def test_the_limits_are_settings(try_login, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/7s/key,100/7s/ip"}
    fail(try_login, 2)

    assert try_login().response["Retry-After"] == "7"


def test_django_admin_has_the_same_limit(clock, db):
    factories.UserFactory(username="admin", administrator=True)

    def attempt(password=WRONG):
        visitor = Visitor().open("/admin/login/")
        return visitor.press("Log in", username="admin", password=password)

    fail(attempt, 10)

    visitor = attempt(factories.PASSWORD)
    assert visitor.status == HTTPStatus.TOO_MANY_REQUESTS
    assert visitor.response["Retry-After"] == "900"
    assert visitor.heading == "Too many attempts"


def test_the_admins_login_page_counts_for_the_same_account(try_login):
    fail(try_login, 10)

    visitor = Visitor().open("/admin/login/")
    visitor.press("Log in", username="alice@1001", password=factories.PASSWORD)

    assert visitor.status == HTTPStatus.TOO_MANY_REQUESTS


def test_a_lock_is_audited_once_and_refused_attempts_do_not_fill_the_record(try_login):
    fail(try_login, 10)
    for _ in range(5):
        try_login()

    actions = list(
        AuditEvent.objects.filter(subject="alice@1001").values_list("action", flat=True)
    )
    assert actions.count("login_failed") == 10
    assert actions.count("login_locked") == 1
    event = AuditEvent.objects.get(action="login_locked")
    assert event.details == {"seconds": 900}


def test_nobody_is_let_in_while_nothing_can_be_counted(alice, settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }

    login = "/oauth2/login?institution=1001"
    form = {"username": "alice", "password": factories.PASSWORD}
    client = Client(raise_request_exception=False)

    response = client.post(login, form)

    assert response.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert "_auth_user_id" not in client.session


def test_attempts_at_once_are_not_more_than_the_limit(try_login):
    """The library counts under a lock; who does not get it is refused."""
    fail(try_login, 9)
    name = ratelimit.get_cache_key(
        None, **login_limits.LIMIT, rate=ratelimit.Rate(10, 900.0, "key"), key="alice@1001"
    )
    assert len(cache.get(name)) == 9
    cache.add(f"{name}:lock", 1)

    assert try_login().status == HTTPStatus.TOO_MANY_REQUESTS


def test_an_operator_can_lift_a_lock(try_login):
    fail(try_login, 10)

    call_command("unlock_login", "ALICE@1001", verbosity=0)

    assert try_login(password=factories.PASSWORD).status == HTTPStatus.OK


def test_failures_in_force_go_on_from_the_table_to_the_cache(try_login, clock):
    class Table(list):
        def filter(self, at__gt):
            return Table(row for row in self if row.at > at__gt)

        def iterator(self):
            return self

    now = timezone.now()
    ages = [10, *(5,) * 9, 901]
    rows = Table(
        SimpleNamespace(
            account="alice@1001",
            address="192.0.2.9",
            is_over=age == 10,
            at=now - dt.timedelta(seconds=age),
        )
        for age in sorted(ages)
    )
    order = SimpleNamespace(order_by=lambda *_: rows)
    model = SimpleNamespace(objects=order)

    migration.carry_over(SimpleNamespace(get_model=lambda *_: model), None)

    fail(try_login, 1)
    assert try_login().response["Retry-After"] == "895"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (30, "30 seconds"), (89, "89 seconds"), (90, "2 minutes")],
)
def test_the_pause_is_said_as_people_say_it(seconds, words):
    assert in_words(seconds) == words


@pytest.mark.parametrize("of_the_platform", [True, False])
def test_admin_s_page_for_the_own_password_gives_no_free_guesses(
    visitor, riverside, of_the_platform
):
    user = factories.UserFactory(
        username="root",
        administrator=True,
        institution=None if of_the_platform else riverside,
    )
    visitor.open("/admin/login/")
    visitor.press("Log in", username=user.login, password=factories.PASSWORD)

    def guess(old):
        new = "another long phrase"
        visitor.open("/admin/password_change/")
        visitor.press("Change the password", oldpassword=old, password1=new, password2=new)
        return visitor.status, visitor.heading

    guesses = {guess(WRONG) for _ in range(10)}

    assert guesses == {(HTTPStatus.OK, "Change your password")}
    assert guess(factories.PASSWORD)[0] == HTTPStatus.TOO_MANY_REQUESTS
    call_command("unlock_login", user.login, verbosity=0)
    guess(factories.PASSWORD)
    assert visitor.url.endswith("/admin/")
