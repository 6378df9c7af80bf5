"""A filter offers few choices, and filters by one that it does not offer."""

import pytest

from authserver.models import KeyInstitution
from authserver.tests import factories
from config.tests.administration import pages
from institution_admin import filters

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def links(monkeypatch):
    monkeypatch.setattr(filters, "MOST", 2)
    key = factories.ServiceKeyFactory()
    return [factories.KeyInstitutionFactory(key=key) for _ in range(2)]


def offered(someone, **query):
    page = someone.get(pages.about(KeyInstitution), **query)
    titles = {spec.title: spec for spec in page.context["cl"].filter_specs}
    choices = getattr(titles.get("institution"), "lookup_choices", [])
    return {pk for pk, _ in choices}, page.context["cl"].result_count


def test_as_many_as_fit_are_offered(oscar, links):
    assert offered(oscar) == ({link.institution_id for link in links}, 2)


def test_of_more_only_the_one_in_the_address_is_offered(oscar, links):
    other = factories.KeyInstitutionFactory(key=links[0].key)

    assert offered(oscar) == (set(), 3)
    chosen = {"institution__id__exact": other.institution_id}
    assert offered(oscar, **chosen) == ({other.institution_id}, 1)
    unreadable = oscar.get(pages.about(KeyInstitution), institution__id__exact="x")
    assert unreadable.status_code == 302
