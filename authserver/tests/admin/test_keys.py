"""Django admin: service keys, and their secrets that are seen once."""

import re
from http import HTTPStatus

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from authserver import models
from authserver.models import AuditEvent
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db

SECRET = re.compile(r'value="([A-Za-z0-9]{43})"')
YES = "Yes, I\u2019m sure"
Action = AuditEvent.Action


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


def add_key(desk, **values):
    desk.open(page("servicekey_add"))
    return desk.press("_save=Save", name="Reading Room", client_id="reading", **values)


def test_a_public_key_is_created_without_a_secret(desk):
    add_key(desk)

    key = models.ServiceKey.objects.get(client_id="reading")
    assert key.has_secret is False
    assert key.client_type == "public"
    assert AuditEvent.objects.get(action=Action.KEY_CREATED).client_id == "reading"


def test_a_key_with_a_secret_shows_it_exactly_once(desk):
    add_key(desk, make_secret="on")

    (secret,) = SECRET.findall(desk.response.content.decode())
    key = models.ServiceKey.objects.get(client_id="reading")
    assert key.secrets == (secret.encode(),)
    assert "no-store" in desk.response["Cache-Control"]
    desk.follow("I have copied it")
    assert secret not in desk.response.content.decode()
    assert "The current one, made" in desk.text


def test_the_secret_is_in_no_cookie_session_or_audit_event(desk):
    add_key(desk, make_secret="on")

    (secret,) = SECRET.findall(desk.response.content.decode())
    assert secret not in str(desk.client.cookies)
    assert secret not in str(dict(desk.client.session))
    assert secret not in str(list(AuditEvent.objects.values()))
    assert {Action.KEY_CREATED, Action.SECRET_CREATED} <= set(
        AuditEvent.objects.values_list("action", flat=True)
    )


def test_a_rotation_keeps_the_old_secret_until_it_is_retired(desk):
    key = factories.ServiceKeyFactory(secret="the old one")
    desk.open(page("servicekey_change", key.pk))

    desk.follow("Rotate the secret").press("Rotate the secret")
    (secret,) = SECRET.findall(desk.response.content.decode())
    key.refresh_from_db()
    assert key.secrets == (secret.encode(), b"the old one")

    desk.follow("I have copied it").follow("Retire the previous secret")
    desk.press("Retire the previous secret")
    key.refresh_from_db()
    assert key.secrets == (secret.encode(),)
    assert "The previous secret no longer works." in desk.text
    assert {Action.SECRET_ROTATED, Action.SECRET_RETIRED} <= set(
        AuditEvent.objects.values_list("action", flat=True)
    )


def test_a_third_secret_ends_the_oldest_and_the_page_says_so(desk):
    key = factories.ServiceKeyFactory(secret="first")
    desk.open(page("servicekey_rotate_secret", key.pk)).press("Rotate the secret")
    desk.open(page("servicekey_rotate_secret", key.pk))
    assert "stops working now" in desk.text

    desk.press("Rotate the secret")

    key.refresh_from_db()
    assert len(key.secrets) == 2
    assert b"first" not in key.secrets


def test_a_repeated_click_rotates_once(desk):
    key = factories.ServiceKeyFactory(secret="first")
    url = page("servicekey_rotate_secret", key.pk)
    desk.open(url)
    form = dict(desk.page.forms[-1].form_values())
    desk.press("Rotate the secret")

    desk.send(url, form)

    key.refresh_from_db()
    assert b"first" in key.secrets
    assert "changed meanwhile" in desk.text
    assert not SECRET.findall(desk.response.content.decode())


def test_a_public_key_can_be_given_a_secret(desk):
    key = factories.ServiceKeyFactory()

    desk.open(page("servicekey_change", key.pk)).follow("Make a secret")
    assert "stops working until it does" in desk.text
    desk.press("Make a secret")

    key.refresh_from_db()
    assert key.client_type == "confidential"


def test_retiring_where_there_is_nothing_to_retire_says_so(desk):
    key = factories.ServiceKeyFactory(secret="only")
    url = page("servicekey_retire_secret", key.pk)

    desk.open(url)

    assert "has no previous secret" in desk.text
    desk.send(url, dict(desk.page.forms[-1].form_values()))
    assert "changed meanwhile" in desk.text


def test_secrets_are_for_those_who_may_change_keys():
    clerk = factories.UserFactory(username="clerk", institution=None, is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_servicekey"))
    key = factories.ServiceKeyFactory(secret="first")
    visitor = Visitor()
    visitor.open("/admin/login/")
    visitor.press("Log in", username="clerk", password=factories.PASSWORD)

    visitor.open(page("servicekey_rotate_secret", key.pk))

    assert visitor.status == HTTPStatus.FORBIDDEN
    assert visitor.heading == "This is not open to you"


def test_the_identifier_of_a_key_in_use_cannot_be_changed(desk):
    key = factories.ServiceKeyFactory(client_id="in-use")

    desk.open(page("servicekey_change", key.pk))

    assert desk.field("client_id") is None
    assert "in-use" in desk.text


def test_a_bad_redirect_address_is_refused_by_name(desk):
    add_key(desk, redirect_uris="https://client.example/cb\nhttp://client.example/cb")

    assert "http://client.example/cb" in desk.text or "http is for" in desk.text
    assert not models.ServiceKey.objects.filter(client_id="reading").exists()


def test_changes_of_a_key_are_audited_with_what_changed(desk):
    key = factories.ServiceKeyFactory(client_id="in-use")
    desk.open(page("servicekey_change", key.pk))

    desk.press("_save=Save", status="canceled")

    event = AuditEvent.objects.get(action=Action.KEY_CHANGED)
    assert (event.actor, event.subject, event.client_id) == ("admin", "", "in-use")
    assert event.details == {
        "changes": "Changed Status.",
        "values": ["Status: active → canceled"],
    }


def test_the_end_of_a_key_is_audited(desk):
    key = factories.ServiceKeyFactory(client_id="old")
    desk.open(page("servicekey_delete", key.pk))

    desk.press(YES)

    assert AuditEvent.objects.get(action=Action.KEY_DELETED).client_id == "old"


@pytest.mark.parametrize("rows", [1, 6])
def test_the_page_of_a_key_costs_the_same_whatever_is_on_it(
    desk, rows, django_assert_num_queries
):
    key = factories.ServiceKeyFactory()
    for _ in range(rows):
        factories.KeyServiceFactory(key=key)
        factories.KeyInstitutionFactory(key=key)
    desk.open(page("servicekey_change", key.pk))

    # session, user, key, its services, its institutions (counted three times), its
    # refusals, all services
    with django_assert_num_queries(10):
        desk.open(page("servicekey_change", key.pk))


def test_no_page_links_to_pages_that_are_not_served(desk):
    key = factories.ServiceKeyFactory()

    desk.open(page("servicekey_change", key.pk))

    assert "View on site" not in desk.text


def test_what_is_on_a_key_changes_with_a_line_in_the_audit_record(desk):
    key = factories.ServiceKeyFactory(name="Portal", client_id="web")
    link = factories.KeyServiceFactory(
        key=key, service__name="Archive", service__code="archive"
    )
    institution = factories.InstitutionFactory(name="Lakeview", registry_id="1003")

    desk.open(page("keyservice_change", link.pk))
    desk.press("_save=Save", status="canceled")
    desk.open(page("keyinstitution_add"))
    desk.press("_save=Save", key=str(key.pk), institution=str(institution.pk))
    desk.open(page("keyservice_delete", link.pk))
    desk.press(YES)

    changes = AuditEvent.objects.filter(action=Action.KEY_CHANGED).order_by("pk")
    assert [event.client_id for event in changes] == ["web"] * 3
    assert [event.details["changes"] for event in changes] == [
        "Archive (archive) on Portal (web): Changed Status.",
        "Portal (web) for Lakeview (1003): Added.",
        "Archive (archive) on Portal (web): Deleted.",
    ]
