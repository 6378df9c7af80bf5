"""Django admin: accounts, within an institution or without."""

from http import HTTPStatus

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from authserver import models
from authserver.models import AuditEvent

pytestmark = pytest.mark.django_db

Action = AuditEvent.Action


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


def test_a_user_is_created_within_an_institution_with_a_password(desk, riverside):
    desk.open(page("user_add"))

    desk.send(
        page("user_add"),
        {
            "csrfmiddlewaretoken": desk.field("csrfmiddlewaretoken").get("value"),
            "institution": riverside.pk,
            "username": "Zoë",
            "password1": "a long enough phrase",
            "password2": "a long enough phrase",
            "_save": "Save",
        },
    )

    user = models.User.objects.get(login="zoë@1001")
    assert user.check_password("a long enough phrase")
    assert user.principal_namespace == "urn:platform:1001"
    assert AuditEvent.objects.filter(action=Action.ACCOUNT_CHANGED).exists()


@pytest.mark.parametrize(
    ("username", "at", "words"),
    [
        ("ALICE", "1001", "already exists"),
        ("admin", "", "taken"),
        ("a@b", "", "no @"),
        ("two words", "1001", "No spaces"),
    ],
)
def test_a_username_that_cannot_be_is_refused_in_words(
    desk, riverside, alice, username, at, words
):
    desk.open(page("user_add"))

    desk.send(
        page("user_add"),
        {
            "csrfmiddlewaretoken": desk.field("csrfmiddlewaretoken").get("value"),
            "institution": riverside.pk if at else "",
            "username": username,
            "password1": "a long enough phrase",
            "password2": "a long enough phrase",
        },
    )

    assert desk.status == HTTPStatus.OK
    assert words in desk.text


def test_a_user_gets_a_new_password_and_is_told_nothing_of_the_old(desk, alice):
    desk.open(page("user_change", alice.pk))
    assert alice.password not in desk.response.content.decode()
    assert alice.password.split("$")[-1][:6] not in desk.text

    desk.follow("Set a new password")
    desk.press(password1="a brand new phrase", password2="a brand new phrase")

    alice.refresh_from_db()
    assert alice.check_password("a brand new phrase")
    event = AuditEvent.objects.get(action=Action.PASSWORD_CHANGED)
    assert (event.actor, event.subject) == ("admin", "alice@1001")


def test_a_user_is_put_into_a_group_and_disabled(desk, alice):
    editors = Group.objects.create(name="Test editors")
    desk.open(page("user_change", alice.pk))

    desk.press("_save=Save", without=["is_active"], groups=[str(editors.pk)])

    alice.refresh_from_db()
    assert list(alice.groups.all()) == [editors]
    assert alice.is_active is False
    assert AuditEvent.objects.get(action=Action.ACCOUNT_CHANGED).subject == "alice@1001"


def test_the_end_of_an_account_is_audited(desk, alice):
    desk.open(page("user_delete", alice.pk))

    desk.press("Yes, I\u2019m sure")

    event = AuditEvent.objects.get(action=Action.ACCOUNT_CHANGED)
    assert (event.subject, event.details["changes"]) == ("alice@1001", "Deleted.")
    assert not models.User.objects.filter(pk=alice.pk).exists()
