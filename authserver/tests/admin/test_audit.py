"""Django admin: what an administrator does is in the record, with who did it."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from authserver.admin import changes
from authserver.models import AuditEvent
from authserver.tests import factories
from authserver.tests.locks import record_failures

pytestmark = pytest.mark.django_db

Action = AuditEvent.Action
YES = "Yes, I\u2019m sure"
NEW = "a brand new phrase"


def unlocked():
    events = AuditEvent.objects.filter(action=Action.LOGIN_UNLOCKED).order_by("subject")
    return [(event.actor, event.subject, event.details, event.address) for event in events]


def test_an_operator_who_lifts_a_lock_is_recorded(db):
    record_failures(3, account="alice@1001")
    call_command("unlock_login", "ALICE@1001", verbosity=0)

    assert unlocked() == [("manage.py", "alice@1001", {"failures": 3}, "")]


def test_lifting_no_lock_is_not_recorded(db):
    call_command("unlock_login", "nobody@1001", verbosity=0)

    assert unlocked() == []


def test_switching_an_institution_off_and_on_is_recorded(desk, riverside):
    page = reverse("admin:authserver_institution_change", args=[riverside.pk])
    desk.open(page)
    desk.press("_save=Save", without=["is_active"])
    desk.open(page)
    desk.press("_save=Save", is_active="on")

    events = AuditEvent.objects.filter(action=Action.INSTITUTION_CHANGED).order_by("pk")
    assert [(event.actor, event.registry_id) for event in events] == [("admin", "1001")] * 2
    assert [event.details for event in events] == [
        {"changes": "Changed Active.", "values": [values], "is_active": is_active}
        for values, is_active in (("Active: yes → no", False), ("Active: no → yes", True))
    ]


def test_making_and_deleting_an_institution_is_recorded(desk):
    desk.open(reverse("admin:authserver_institution_add"))
    desk.press("_save=Save", registry_id="777", name="Hilltop Museum")
    desk.open(reverse("admin:authserver_institution_changelist"))
    desk.follow("Hilltop Museum")
    desk.follow("Delete")
    desk.press(YES)

    events = AuditEvent.objects.filter(action=Action.INSTITUTION_CHANGED).order_by("pk")
    assert [(event.registry_id, event.details["changes"]) for event in events] == [
        ("777", "Added."),
        ("777", "Deleted."),
    ]


def test_an_administrators_own_new_password_is_recorded(desk, administrator):
    desk.open(reverse("admin:password_change"))

    desk.press(oldpassword=factories.PASSWORD, password1=NEW, password2=NEW)

    administrator.refresh_from_db()
    assert administrator.check_password(NEW)
    event = AuditEvent.objects.get(action=Action.PASSWORD_CHANGED)
    assert (event.actor, event.subject) == ("admin", "admin")
    assert (event.address, event.details) == ("127.0.0.1", {})


def test_a_new_password_that_was_refused_is_not_recorded(desk):
    desk.open(reverse("admin:password_change"))

    desk.press(oldpassword="wrong", password1=NEW, password2=NEW)

    assert "Please type your current password." in desk.text
    assert not AuditEvent.objects.filter(action=Action.PASSWORD_CHANGED).exists()


def test_taking_a_password_away_is_recorded_as_a_new_one(desk, alice):
    desk.open(reverse("admin:auth_user_password_change", args=[alice.pk]))

    desk.press(
        "unset-password=Disable password-based authentication", usable_password="false"
    )

    alice.refresh_from_db()
    assert not alice.has_usable_password()
    event = AuditEvent.objects.get(action=Action.PASSWORD_CHANGED)
    assert (event.actor, event.subject) == ("admin", "alice@1001")


def test_a_column_that_is_not_listed_is_recorded_without_its_value(
    desk, riverside, monkeypatch
):
    """As a column for a secret would be that somebody adds later."""
    shown = changes.RECORDED["authserver.institution"] - {"place"}
    monkeypatch.setitem(changes.RECORDED, "authserver.institution", shown)
    desk.open(reverse("admin:authserver_institution_change", args=[riverside.pk]))
    desk.press("_save=Save", place="https://hooks.example/SECRET", code="RU")

    event = AuditEvent.objects.get(action=Action.INSTITUTION_CHANGED)
    assert "Place: changed" in event.details["values"]
    assert "SECRET" not in str(event.details)
    assert any(line.endswith("→ RU") for line in event.details["values"])
