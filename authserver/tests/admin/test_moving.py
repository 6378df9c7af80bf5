"""Django admin: what names an institution stays, and what a person leaves behind."""

from http import HTTPStatus

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from authserver import models
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


def test_a_new_institution_is_given_its_registry_identifier(desk):
    desk.open(page("institution_add"))
    desk.press("Save", registry_id="2001", name="Hill College")

    assert models.Institution.objects.get(name="Hill College").registry_id == "2001"


def test_the_registry_identifier_of_a_stored_institution_is_shown_and_not_asked(
    desk, northgate
):
    desk.open(page("institution_change", northgate.pk))

    assert desk.field("registry_id") is None
    assert "1002" in desk.text


def test_a_registry_identifier_that_is_sent_anyway_changes_nothing(desk, northgate):
    desk.open(page("institution_change", northgate.pk))
    desk.send(
        page("institution_change", northgate.pk),
        {
            "csrfmiddlewaretoken": desk.field("csrfmiddlewaretoken").get("value"),
            "registry_id": "2999",
            "name": "Northgate",
            "_save": "Save",
        },
    )

    northgate.refresh_from_db()
    assert (northgate.registry_id, northgate.name) == ("1002", "Northgate")


def test_a_user_who_is_moved_has_a_new_login_and_namespace(desk, alice, northgate):
    desk.open(page("user_change", alice.pk))
    desk.press("Save", institution=str(northgate.pk))

    alice.refresh_from_db()
    assert (alice.login, alice.principal_namespace) == (
        "alice@1002",
        "urn:platform:1002",
    )
    assert "The login is now alice@1002; alice@1001 no longer works." in desk.text
    assert "stay at Riverside University (1001)" in desk.text


def test_a_namespace_that_somebody_chose_stays_when_the_user_is_moved(
    desk, alice, northgate
):
    models.User.objects.filter(pk=alice.pk).update(principal_namespace="urn:staff")

    desk.open(page("user_change", alice.pk))
    desk.press("Save", institution=str(northgate.pk))

    alice.refresh_from_db()
    assert alice.principal_namespace == "urn:staff"


def test_a_user_who_is_saved_where_they_were_is_not_spoken_of_as_moved(desk, alice):
    desk.open(page("user_change", alice.pk))
    desk.press("Save", full_name="Alice A.")

    assert "The login is now" not in desk.text


def test_a_token_from_before_the_move_no_longer_works(desk, alice, northgate, key):
    token = factories.AccessTokenFactory(user=alice, application=key, token_text="tk_old")
    session = Client()
    session.force_login(alice)

    desk.open(page("user_change", alice.pk))
    desk.press("Save", institution=str(northgate.pk))

    answer = Client().get(
        f"/{settings.VENDOR_NS}/identity/v1", headers={"Authorization": "Bearer tk_old"}
    )
    assert (token.institution.registry_id, answer.status_code) == (
        "1001",
        HTTPStatus.FORBIDDEN,
    )
    assert not models.Session.objects.filter(user_id=alice.pk).exists()
