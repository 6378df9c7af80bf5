"""Passkeys against keys and clients that do not keep to the pages."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.db import connection, connections

from authserver.accounts import factor_forms, login_limits
from authserver.conf import conf
from authserver.tests import factories
from authserver.tests.accounts.test_factors import sign_in
from authserver.tests.locks import record_failures
from authserver.tests.passkeys import SecurityKey, add_key, options_of, post
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def issuer(settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ISSUER": "https://platform.example"}


def proof(key, options, **how):
    host = urlsplit(conf.issuer).hostname
    challenge = options["publicKey"]["challenge"]
    return key.signed(challenge, host=host, origin=conf.issuer, **how)


@pytest.fixture
def key_of_alice(alice):
    key, response = add_key(sign_in(Visitor()))
    assert response.status_code == HTTPStatus.FOUND
    return key


def passkey_options(browser):
    accept = {"Accept": "application/json"}
    return browser.client.get("/oauth2/account/passkey", headers=accept).json()[
        "request_options"
    ]


@pytest.mark.parametrize("is_verified", [True, False])
def test_a_passkey_alone_signs_in_only_with_its_pin(key_of_alice, is_verified):
    thief = Visitor().open("/oauth2/login?institution=1001")

    signed = proof(key_of_alice, passkey_options(thief), is_verified=is_verified)
    post(thief, "/oauth2/account/passkey", signed)

    assert ("_auth_user_id" in thief.client.session) is is_verified


def test_the_challenge_of_a_second_factor_signs_in_nobody_without_a_pin(
    key_of_alice, riverside
):
    thief = factories.UserFactory(institution=riverside)
    add_key(sign_in(Visitor(), thief.username), b"key-two")
    browser = sign_in(Visitor(), thief.username)
    assert browser.heading == "Second factor"

    signed = proof(key_of_alice, options_of(browser), is_verified=False)
    post(browser, "/oauth2/account/passkey", signed)

    assert "_auth_user_id" not in browser.client.session


def test_a_passkey_with_a_nul_in_it_is_refused_in_words(visitor, alice):
    _, response = add_key(sign_in(visitor), more="\x00")  # which no PostgreSQL takes

    assert response.status_code == HTTPStatus.OK
    assert "That did not work." in response.content.decode()
    assert not Authenticator.objects.exists()


def test_a_person_has_at_most_twenty_passkeys(visitor, alice):
    browser = sign_in(visitor)
    add_key(browser)
    data = Authenticator.objects.get(type="webauthn").data
    for _ in range(factor_forms.MOST_PASSKEYS - 1):
        Authenticator.objects.create(user=alice, type="webauthn", data=data)

    _, response = add_key(browser)

    assert "You have 20 passkeys. Remove one" in response.content.decode()
    assert Authenticator.objects.filter(user=alice, type="webauthn").count() == 20


@pytest.mark.postgresql_only  # SQLite has one writer at a time
@pytest.mark.django_db(transaction=True)
def test_two_passkeys_that_are_added_at_once_are_counted_one_after_the_other(alice):
    browsers = [sign_in(Visitor()) for _ in range(2)]
    add_key(browsers[0], b"key-zero")
    data = Authenticator.objects.get(type="webauthn").data
    keys = [SecurityKey(name) for name in (b"key-one", b"key-two")]
    made = []
    for browser, key in zip(browsers, keys, strict=True):
        browser.open("/oauth2/factors/passkey")
        made.append(key.made(options_of(browser), origin=conf.issuer))
    for _ in range(factor_forms.MOST_PASSKEYS - 2):
        Authenticator.objects.create(user=alice, type="webauthn", data=data)
    both_counted = threading.Barrier(2)

    def wait_before_adding(execute, sql, *arguments):
        if sql.startswith('INSERT INTO "mfa_authenticator"'):
            with suppress(threading.BrokenBarrierError):
                both_counted.wait(timeout=1)
        return execute(sql, *arguments)

    def add(number):
        with connection.execute_wrapper(wait_before_adding):
            answer = post(browsers[number], "/oauth2/factors/passkey", made[number])
        connections.close_all()
        return answer.status_code

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(add, range(2)))

    assert answers == [HTTPStatus.OK, HTTPStatus.FOUND]
    assert Authenticator.objects.filter(user=alice, type="webauthn").count() == 20


def test_a_right_passkey_forgives_an_address_no_failures(key_of_alice, rf):
    browser = sign_in(Visitor())
    record_failures(99, address="127.0.0.1")
    before = address_failures(rf)

    post(
        browser,
        "/oauth2/account/second-factor",
        proof(key_of_alice, options_of(browser)),
    )

    assert "_auth_user_id" in browser.client.session
    assert before == 99
    assert address_failures(rf) == before


def address_failures(rf):
    (rate,) = [
        rate
        for rate in login_limits.ratelimit.get_rates(**login_limits.LIMIT)
        if rate.per == "ip"
    ]
    request = rf.post("/")
    name = login_limits.ratelimit.get_cache_key(request, **login_limits.LIMIT, rate=rate)
    return len(cache.get(name, []))
