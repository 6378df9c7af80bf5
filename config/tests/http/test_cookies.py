"""Every cookie: for this host alone, never for scripts, never sent from other sites."""

import pytest

from authserver.models import User

pytestmark = pytest.mark.django_db
LOGIN = "/oauth2/login?institution=1001"


@pytest.fixture
def cookies(client, settings, django_user_model):
    """Return what a browser holds after a login to admin and a change there, over https."""

    def collected(*, https):
        settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = https
        prefix = "__Host-" if https else ""
        settings.SESSION_COOKIE_NAME = f"{prefix}session"
        settings.CSRF_COOKIE_NAME = f"{prefix}csrf"
        root = User.objects.create_superuser(login="root", password="a long phrase")
        login = {"username": "root", "password": "a long phrase"}
        client.get("/admin/login/")
        client.post("/admin/login/?next=/admin/", login)
        page = f"/admin/authserver/user/{root.pk}/password/"
        new = {"password1": "another long phrase", "password2": "another long phrase"}
        client.post(page, {**new, "usable_password": "true"})
        return {name: cookie for name, cookie in client.cookies.items() if cookie.value}

    return collected


NAMES = {"session", "csrf", "messages"}


def test_every_cookie_belongs_to_this_host_alone_over_https(cookies):
    found = cookies(https=True)

    assert set(found) == {f"__Host-{name}" for name in NAMES}
    for cookie in found.values():
        assert cookie["secure"] is True
        assert (cookie["path"], cookie["domain"]) == ("/", "")


def test_no_script_reads_a_cookie_and_no_other_site_sends_one(cookies):
    found = cookies(https=False)

    assert set(found) == NAMES
    for cookie in found.values():
        assert cookie["httponly"] is True
        assert cookie["samesite"] == "Lax"


def test_a_message_is_shown_once_and_its_cookie_goes(cookies, client):
    cookies(https=True)

    shown = client.get("/admin/")

    assert b"Password changed successfully" in shown.content
    assert client.cookies["__Host-messages"].value == ""
    assert b"Password changed successfully" not in client.get("/admin/").content
