"""A password that must be changed: before the grant, the own pages and admin."""

import pytest

from authserver.models import AuditEvent, Grant
from authserver.tests import factories

pytestmark = pytest.mark.django_db
NEW = "another horse, another staple"
HEADING = "Choose a password of your own"


@pytest.fixture
def alice(alice):
    alice.must_change_password = True
    alice.save()
    return alice


def change(visitor, new=NEW):
    return visitor.press(
        "Change the password",
        oldpassword=factories.PASSWORD,
        password1=new,
        password2=new,
    )


def test_the_request_under_way_goes_on_after_the_change(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    before = visitor.heading
    change(visitor)

    allowed = visitor.heading
    visitor.press("Allow")

    assert (before, allowed) == (HEADING, "Allow Campus Planner to act for you?")
    assert visitor.answer["code"]
    alice.refresh_from_db()
    assert alice.must_change_password is False
    assert AuditEvent.objects.filter(action="password_changed").count() == 1


@pytest.mark.parametrize("page", ["grant", "continue", "finish", "login"])
def test_no_page_of_the_request_leads_around_it(visitor, address, key, alice, log_in, page):
    visitor.open(address(key))
    log_in()
    handle = visitor.url.partition("?")[2]

    visitor.open(f"/oauth2/{page}?{handle}")
    shown = visitor.heading
    visitor.send(f"/oauth2/grant?{handle}", {"decision": "allow"})

    assert (shown, visitor.left_for) == (HEADING, "")
    assert not Grant.objects.exists()


def test_what_was_allowed_before_is_not_granted_before_the_change(
    visitor, address, confidential_key, alice, log_in
):
    factories.ConsentFactory(
        user=alice,
        key=confidential_key,
        institution=alice.institution,
        scope="calendar_events directory",
    )
    visitor.open(address(confidential_key))
    log_in()

    assert visitor.heading == HEADING
    assert not Grant.objects.exists()
    change(visitor)
    assert visitor.heading == "You are signed in"  # and on to the application


def test_my_access_opens_after_the_change(visitor, alice, log_in):
    visitor.open("/oauth2/login?institution=1001")
    log_in()
    before = visitor.heading
    visitor.open("/oauth2/access")
    assert (before, visitor.heading) == (HEADING, HEADING)

    change(visitor)

    assert visitor.heading == "My account"
    assert "Your password was changed." in visitor.text


def test_the_same_password_is_no_change(visitor, alice, log_in):
    visitor.open("/oauth2/login?institution=1001")
    log_in()

    change(visitor, factories.PASSWORD)

    assert visitor.heading == HEADING
    assert "This is the password that you have now." in visitor.text


def test_one_may_sign_out_instead(visitor, alice, log_in):
    visitor.open("/oauth2/login?institution=1001")
    log_in()

    visitor.follow("Sign out").press("Sign out")

    assert visitor.open("/oauth2/access").heading == "Choose your institution"


def test_the_admin_opens_after_the_change(desk, administrator):
    administrator.must_change_password = True
    administrator.save()
    for page in ("/admin/", "/admin/authserver/user/", "/admin/jsi18n/"):
        desk.open(page)
        assert desk.heading == HEADING
    fields = {"oldpassword": factories.PASSWORD}

    same = dict.fromkeys(("password1", "password2"), factories.PASSWORD)
    desk.press("Change the password", **fields, **same)
    refused = desk.text
    desk.press("Change the password", **fields, password1=NEW, password2=NEW)

    assert "This is the password that you have now." in refused
    assert desk.url.endswith("/admin/jsi18n/")  # where the way was to
    assert desk.open("/admin/authserver/user/").status == 200
    assert desk.url.endswith("/admin/authserver/user/")
