"""Django admin: a key that is on thousands of institutions is looked after like another."""

import pytest
from django.db import connection
from django.urls import reverse

from authserver.models import AuditEvent, Institution, KeyInstitution
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOW_MANY = 3000
YES = "Yes, I\u2019m sure"


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


@pytest.fixture
def key():
    key = factories.ServiceKeyFactory(name="Consortium")
    institutions = Institution.objects.bulk_create(
        Institution(registry_id=str(100_000 + n), name=f"Library {n:04}")
        for n in range(HOW_MANY)
    )
    KeyInstitution.objects.bulk_create(
        KeyInstitution(key=key, institution=each) for each in institutions
    )
    if connection.vendor == "postgresql":
        # As its own process does after a load; without, it may plan for empty tables.
        tables = (Institution, KeyInstitution, type(key))
        names = ", ".join(model._meta.db_table for model in tables)
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {names}")
    return key


@pytest.fixture
def on_the_list(desk, key):
    """Follow the way from the key to its institutions."""
    factories.KeyInstitutionFactory(institution__name="Elsewhere")
    desk.open(page("servicekey_change", key.pk)).follow(f"{HOW_MANY} institutions")
    return desk


def rows(desk):
    return len(desk.page.xpath("//*[@id='result_list']/tbody/tr"))


def test_they_are_a_list_in_pages_without_one_link_for_each(on_the_list):
    assert rows(on_the_list) == 50
    assert f"{HOW_MANY} institutions on keys" in on_the_list.text
    filters = on_the_list.page.xpath("//*[@id='changelist-filter']//li/a")
    names = [link.text for link in filters]
    client_id = KeyInstitution.objects.first().key.client_id
    assert f"Consortium ({client_id})" in names
    assert not [name for name in names if name.startswith("Library")]
    assert len(names) <= 5


def test_the_list_costs_the_same_however_many(on_the_list, django_assert_max_num_queries):
    with django_assert_max_num_queries(9):
        on_the_list.open(on_the_list.url.removeprefix("http://testserver"))


def test_one_is_searched_taken_off_and_put_on_again(on_the_list, key):
    desk = on_the_list
    desk.press(q="Library 2999")
    assert rows(desk) == 1
    (link,) = KeyInstitution.objects.filter(institution__name="Library 2999")

    desk.press("Go", action="delete_selected", _selected_action=str(link.pk)).press(YES)
    assert key.institutions.count() == HOW_MANY - 1
    desk.open(page("keyinstitution_add")).press(
        "_save=Save", key=str(key.pk), institution=str(link.institution_id)
    )

    assert key.institutions.count() == HOW_MANY
    changes = AuditEvent.objects.filter(action="key_changed", client_id=key.client_id)
    assert changes.count() == 2


@pytest.mark.parametrize("chosen", ["", "x", "9" * 30, "-1"])
def test_a_row_that_cannot_be_names_nothing(desk, key, chosen):
    desk.open(f"{page('keyinstitution_changelist')}?institution__id__exact={chosen}")

    assert desk.status == 200
