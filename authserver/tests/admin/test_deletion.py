"""Django admin: what has a history is not deleted, and the page says what to do instead."""

import pytest
from django.urls import reverse

from authserver import models
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

INSTEAD = {
    models.User: "Disable the account instead",
    models.Institution: "Switch the institution off instead",
    models.ServiceKey: "Cancel the key instead",
    models.Service: "Take it off what is listed first",
}


@pytest.fixture
def in_use(alice, key, events_service):
    """A row of each kind with something that hangs on it."""
    factories.AccessTokenFactory(user=alice, application=key)
    return {type(row): row for row in (alice, alice.institution, key, events_service)}


def address(model, page, *arguments):
    return reverse(f"admin:authserver_{model._meta.model_name}_{page}", args=arguments)


def select_all(desk, model):
    desk.open(address(model, "changelist"))
    chosen = [str(pk) for pk in model.objects.values_list("pk", flat=True)]
    return desk.press("Go", action="delete_selected", _selected_action=chosen)


@pytest.mark.parametrize("model", INSTEAD)
def test_what_has_a_history_is_not_deleted_and_the_page_says_what_to_do(
    desk, in_use, model
):
    row = in_use[model]

    desk.open(address(model, "delete", row.pk))

    assert INSTEAD[model] in desk.text
    assert str(row) in desk.text
    assert "permission" not in desk.text
    assert not desk.page.xpath("//input[@name='post']")


@pytest.mark.parametrize("model", INSTEAD)
def test_a_selection_with_a_history_is_not_deleted_either(desk, in_use, model):
    select_all(desk, model)

    assert INSTEAD[model] in desk.text
    assert not desk.page.xpath("//input[@name='post']")
    assert model.objects.filter(pk=in_use[model].pk).exists()


def test_a_selection_without_a_history_is_deleted(desk):
    institution = factories.InstitutionFactory()

    select_all(desk, models.Institution)
    desk.press("Yes, I\u2019m sure")

    assert not models.Institution.objects.filter(pk=institution.pk).exists()
