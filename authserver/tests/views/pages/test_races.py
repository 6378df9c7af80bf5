"""What changes between the moment a page looks and the moment it writes."""

from contextlib import contextmanager
from http import HTTPStatus

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from authserver.models import Grant, PendingRequest, ServiceKey, User
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

GONE = "This request is no longer open"


@contextmanager
def just_before(start, table, happens):
    """Let something happen right before the first such statement, as others would."""
    happened = []

    def intervene(execute, sql, *arguments):
        if sql.startswith(start) and table in sql and not happened:
            happened.append(sql)
            happens()
        return execute(sql, *arguments)

    with connection.execute_wrapper(intervene):
        yield
    assert happened


def consume():
    PendingRequest.objects.update(consumed_at=timezone.now())


@pytest.mark.parametrize("decision", ["Allow", "Deny"])
def test_who_answers_second_gets_the_friendly_page(
    visitor, address, key, alice, log_in, decision
):
    visitor.open(address(key))
    log_in()

    with just_before("UPDATE", "pendingrequest", consume):
        visitor.press(decision)

    assert visitor.status == HTTPStatus.GONE
    assert visitor.heading == GONE
    assert not Grant.objects.exists()


def test_who_chooses_after_the_answer_gets_it_too(visitor, address, key):
    visitor.open(address(key, at=""))

    with just_before("UPDATE", "pendingrequest", consume):
        visitor.press("institution=1001")

    assert visitor.heading == GONE


def test_a_user_disabled_while_allowing_grants_nothing(
    visitor, address, key, alice, log_in
):
    def disable():
        User.objects.update(is_active=False)

    visitor.open(address(key))
    log_in()

    with just_before("SELECT", 'AS "a" FROM "authserver_user"', disable):
        visitor.press("Allow")

    assert visitor.answer["error"] == "access_denied"
    assert not Grant.objects.exists()


def test_a_key_deleted_while_its_user_arrives_is_told_in_words(visitor, address, key):
    def delete():
        ServiceKey.objects.all().delete()

    with just_before("SELECT", "pendingrequest", delete):
        visitor.open(address(key))

    assert visitor.heading == GONE


def test_two_administrators_rotate_once(desk):
    key = factories.ServiceKeyFactory(secret="first")
    page = reverse("admin:authserver_servicekey_rotate_secret", args=[key.pk])

    def rotate():
        row = ServiceKey.objects.get(pk=key.pk)
        row.rotate_secret(now=timezone.now())
        row.save()

    desk.open(page)
    looks = 'SELECT "authserver_servicekey"'
    happened = []

    def intervene(execute, sql, *arguments):
        # The page looks once; the write looks again, with the lock.
        if sql.startswith(looks):
            happened.append(sql)
            if len(happened) == 2:
                rotate()
        return execute(sql, *arguments)

    with connection.execute_wrapper(intervene):
        desk.press("Rotate the secret")

    key.refresh_from_db()
    assert b"first" in key.secrets
    assert "changed meanwhile" in desk.text


def test_the_secret_of_a_key_that_is_gone_is_no_page(desk):
    desk.open(reverse("admin:authserver_servicekey_rotate_secret", args=[0]))

    assert desk.status == HTTPStatus.NOT_FOUND
