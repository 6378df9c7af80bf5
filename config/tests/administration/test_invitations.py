"""Accounts that are invited, required to change a password, unlocked: by whom, whose."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django_tasks_db.models import DBTaskResult

from authserver.accounts import access
from authserver.conf import conf
from authserver.models import AuditEvent, SignInRules, User
from authserver.tests import factories
from authserver.tests.links import choose, link_in
from authserver.tests.locks import is_locked, lock
from authserver.tests.visitor import Visitor
from config.tests.administration import pages

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "SENDS_MAIL": True}


@pytest.fixture
def person(here):
    here.person.email = "person@library.example"
    here.person.save()
    return here.person


def act(someone, action, *users):
    response = someone.client.post(
        pages.about(User),
        {"action": action, "_selected_action": [user.pk for user in users]},
        follow=True,
    )
    return [str(message) for message in response.context["messages"]]


def deliver():
    """Do what is queued."""
    for row in DBTaskResult.objects.filter(status="READY"):
        row.task.call(*row.args_kwargs["args"])


def is_anybody_invited():
    return (
        DBTaskResult.objects.exists()
        or AuditEvent.objects.filter(action="invited").exists()
    )


def add(someone, institution, **fields):
    return someone.post(
        pages.about(User, "add"),
        institution=institution.pk,
        **({"username": "nora", "email": "nora@library.example"} | fields),
    )


# --- Invitations --------------------------------------------------------------------------


def test_a_new_account_is_invited_and_chooses_its_password(ines, here, mailoutbox):
    response = add(ines, here.institution, invite="on")
    deliver()
    (message,) = mailoutbox
    nora = User.objects.get(login="nora@1001")
    before = (nora.has_usable_password(), nora.must_change_password)

    visitor = choose(Visitor(), link_in(message))

    nora.refresh_from_db()
    assert response.status_code == 302
    assert (before, visitor.heading) == ((False, True), "Your password is set")
    assert (nora.has_usable_password(), nora.must_change_password) == (True, False)
    assert (message.to, message.subject) == (
        ["nora@library.example"],
        "Your account: Riverside",
    )
    (event,) = AuditEvent.objects.filter(action="invited")
    assert (event.actor, event.subject) == ("ines@1001", "nora@1001")
    assert "token" not in str(event.details)


def test_an_account_of_a_list_is_invited_and_must_change_what_it_has(
    ines, person, mailoutbox
):
    said = act(ines, "invite", person)
    deliver()

    person.refresh_from_db()
    assert (said, len(mailoutbox), person.must_change_password) == (
        ["Invited: 1."],
        1,
        True,
    )


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"invite": "on", "email": ""}, "email"),
        ({"invite": "on", "password1": "a good long one"}, "password1"),
        ({}, "password1"),
        ({"email": "no address", "invite": "on"}, "email"),
        ({"email": "a@x.example\r\nBcc: b@x.example", "invite": "on"}, "email"),
    ],
)
def test_a_form_that_cannot_be_is_refused_beside_the_field(ines, here, fields, problem):
    response = add(ines, here.institution, **fields)

    assert problem in response.context["adminform"].form.errors
    assert not User.objects.filter(username="nora").exists()


def test_a_first_password_can_still_be_typed(ines, here):
    secret = {"password1": "a good long one", "password2": "a good long one"}

    response = add(ines, here.institution, **secret)

    assert response.status_code == 302
    assert User.objects.get(login="nora@1001").check_password("a good long one")
    assert not is_anybody_invited()


def test_nobody_invites_into_another_institution(ines, there, person):
    there.person.email = "theirs@library.example"
    there.person.save()

    added = add(ines, there.institution, invite="on")
    act(ines, "invite", there.person)

    assert "institution" in added.context["adminform"].form.errors
    assert not is_anybody_invited()


def test_who_cannot_be_invited_is_said_and_why(ines, here, settings):
    at_home = {"institution": here.institution, "email": "x@library.example"}
    disabled = factories.UserFactory(disabled=True, **at_home)
    nowhere = factories.UserFactory(institution=here.institution)
    above = factories.UserFactory(is_staff=True, **at_home)
    often = factories.UserFactory(**at_home)
    settings.ACCOUNT_RATE_LIMITS = {"password_mail": "1/3600s/user"}
    act(ines, "invite", often)

    said = act(ines, "invite", disabled, nowhere, above, often)

    assert {words.partition(",")[0] for words in said} == {
        "Not invited",
        "Not changed",
    }
    assert len(said) == 4
    assert [row.args_kwargs["args"][0] for row in DBTaskResult.objects.all()] == [often.pk]


def test_who_is_invited_with_a_role_reads_how_to_sign_in_to_admin(ines, person, mailoutbox):
    act(ines, "invite", person)
    person.groups.add(Group.objects.get(name="editor"))
    act(ines, "invite", person)
    deliver()

    # What holds when the message is written, not when it was asked for.
    first, second = mailoutbox
    for message in (first, second):
        assert f"The administration is at {conf.issuer}/admin/" in message.body
        assert 'Your login there is "person@1001".' in message.body


def test_who_is_invited_without_a_role_reads_nothing_of_the_admin(ines, person, mailoutbox):
    act(ines, "invite", person)
    deliver()

    (message,) = mailoutbox
    assert "dministration" not in message.body


def test_an_invitation_to_an_inactive_institution_is_not_sent(oscar, here):
    here.institution.is_active = False
    here.institution.save()

    response = add(oscar, here.institution, invite="on")

    assert response.status_code == 302
    assert User.objects.filter(login="nora@1001").exists()
    assert not is_anybody_invited()


def test_without_mail_no_invitation_is_offered(ines, person, settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "SENDS_MAIL": False}

    page = ines.get(pages.about(User, "add")).content.decode()
    said = act(ines, "invite", person)

    assert "Invite by e-mail" not in page
    assert (said, is_anybody_invited()) == (["No action selected."], False)


def test_without_mail_an_invitation_that_is_posted_is_not_made(ines, here, settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "SENDS_MAIL": False}

    response = add(ines, here.institution, invite="on", email="new@library.example")

    assert response.status_code == 200
    assert not is_anybody_invited()
    assert not User.objects.filter(email="new@library.example").exists()


# --- Who takes over whom ------------------------------------------------------------------


@pytest.mark.parametrize("more", ["is_superuser", "is_staff", "role"])
def test_an_account_with_more_rights_is_not_taken_over_by_its_address(
    ines, staff, here, more
):
    roles = ["platform operator"] if more == "role" else []
    target = staff(*roles, at=here.institution, email="boss@library.example").user
    if more != "role":
        User.objects.filter(pk=target.pk).update(**{more: True})
    page = ines.get(pages.of(target))

    ines.post(pages.of(target), username=target.username, email="ines@evil.example")
    for action in ("invite", "require_new_password"):
        act(ines, action, target)

    target.refresh_from_db()
    assert page.status_code in {200, 302, 403}
    assert (target.email, target.must_change_password) == ("boss@library.example", False)
    assert not is_anybody_invited()


def test_a_link_dies_when_the_address_is_changed_after_it_was_sent(
    ines, person, mailoutbox
):
    act(ines, "invite", person)
    deliver()
    User.objects.filter(pk=person.pk).update(email="other@library.example")

    assert Visitor().open(link_in(mailoutbox[0])).status == 410


def test_a_contributor_and_an_auditor_do_none_of_it(staff, uma, here, person):
    lock(person)
    contributor = staff("contributor", at=here.institution)
    for someone in (contributor, uma):
        for action in ("invite", "require_new_password", "unlock"):
            someone.post(pages.about(User), action=action, _selected_action=[person.pk])

    person.refresh_from_db()
    assert person.must_change_password is False
    assert not is_anybody_invited()
    assert is_locked(person)


# --- A required change, a lifted lock -----------------------------------------------------


def test_a_new_password_is_required_of_the_own_accounts_alone(ines, person, there):
    said = act(ines, "require_new_password", person, there.person)

    changed = User.objects.filter(must_change_password=True)
    assert (said, list(changed)) == (["A new password is required: 1."], [person])
    (event,) = AuditEvent.objects.filter(action="password_change_required")
    assert (event.actor, event.subject) == ("ines@1001", "person@1001")


def test_a_lock_is_lifted_from_the_list_of_accounts(ines, person, here, there):
    above = factories.UserFactory(institution=here.institution, is_staff=True)
    lock(person, above, there.person)

    said = act(ines, "unlock", person, above, there.person)

    left = {user for user in (person, above, there.person) if is_locked(user)}
    assert said == [
        "May sign in again: 1.",
        "Not changed, because they have more rights than you: 1.",
    ]
    assert left == {above, there.person}
    (event,) = AuditEvent.objects.filter(action="login_unlocked")
    assert (event.actor, event.subject) == ("ines@1001", "person@1001")


def test_the_page_of_an_account_says_where_it_signed_in(ines, person):
    client = Client(REMOTE_ADDR="192.0.2.44")
    client.post(
        "/oauth2/login?institution=1001",
        {"username": "person", "password": factories.PASSWORD},
    )

    page = ines.get(pages.of(person)).content.decode()

    assert "in 1 browser" in page
    assert "(192.0.2.44)" in page


def test_an_account_that_was_deleted_gets_no_message(ines, here, mailoutbox):
    at_home = {"institution": here.institution, "email": "x@library.example"}
    person = factories.UserFactory(**at_home)
    act(ines, "invite", person)
    person.delete()

    deliver()

    assert mailoutbox == []


def test_nobody_is_invited_where_passwords_do_not_count(ines, here, person):
    SignInRules.objects.filter(institution=here.institution).update(passwords=False)

    said = act(ines, "invite", person)

    assert said == ["Not invited, because their institution has no passwords here: 1."]
    assert not is_anybody_invited()


def test_a_person_is_told_that_an_administrator_set_the_password(ines, person, mailoutbox):
    new = {"password1": "a good long one", "password2": "a good long one"}

    ines.post(reverse("admin:auth_user_password_change", args=[person.pk]), **new)
    deliver()

    (message,) = mailoutbox
    assert (message.to, message.subject) == ([person.email], "Password Changed: Riverside")
    assert "Your password has been changed." in message.body


def test_an_account_that_is_gone_meanwhile_is_passed_over(ines, here, monkeypatch):
    first, second = (factories.UserFactory(institution=here.institution) for _ in range(2))
    end_sessions = access.end_sessions

    def delete_the_other(user):
        User.objects.filter(pk=second.pk).delete()
        return end_sessions(user)

    monkeypatch.setattr(access, "end_sessions", delete_the_other)

    assert act(ines, "sign_out_everywhere", first, second) == ["Signed out everywhere: 1."]
