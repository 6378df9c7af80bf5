"""Every link that a list of admin offers leads to an answer."""

import pytest
from django.contrib import admin
from django.db.models import DateTimeField
from lxml import html

from authserver.admin import audit
from authserver.models import AuditEvent, KeyService, ServiceKey
from authserver.tests import factories
from config.tests.administration import pages
from config.tests.administration.conftest import Staff

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "kept_to",
    [pytest.param("platform", marks=pytest.mark.both_databases), "institution"],
)
def test_every_filter_and_every_order_of_a_list_is_allowed(here, there, kept_to):
    at = here.institution if kept_to == "institution" else None
    root = Staff(factories.UserFactory(institution=at, is_staff=True, is_superuser=True))

    for model_admin in admin.site._registry.values():
        if kept_to == "institution" and not model_admin.institution_path:
            continue  # for the platform alone
        address = pages.about(model_admin.model)
        page = html.fromstring(root.get(address).content)
        links = {link for link in page.xpath("//main//a/@href") if link.startswith("?")}

        answers = {link: root.client.get(f"{address}{link}").status_code for link in links}
        wrong = {link: status for link, status in answers.items() if status != 200}
        assert wrong == {}, address
        assert links, address


naive_dates = pytest.mark.filterwarnings(
    "ignore:DateTimeField .* received a naive datetime"
)
EDGES = [
    "gte=0001-01-01",
    "gte=0001-01-01 00:00:00+14:00",
    "lt=9999-12-31 23:59:59",
    "lt=9999-12-31 23:59:59-14:00",
]


@naive_dates
@pytest.mark.both_databases
@pytest.mark.parametrize("of_the_platform", [True, False])
@pytest.mark.parametrize("lookup", EDGES)
def test_a_date_at_the_edge_of_the_calendar_breaks_no_list(here, lookup, of_the_platform):
    at = None if of_the_platform else here.institution
    root = Staff(factories.UserFactory(institution=at, is_staff=True, is_superuser=True))
    column, _, day = lookup.partition("=")
    dated = [
        (model_admin.model, name)
        for model_admin in admin.site._registry.values()
        for name in model_admin.list_filter
        if isinstance(name, str)
        and isinstance(model_admin.opts.get_field(name), DateTimeField)
    ]

    answers = {
        model.__name__: root.get(pages.about(model), **{f"{name}__{column}": day})
        for model, name in dated
    }

    assert len(answers) > 5
    assert {answer.status_code for answer in answers.values()} <= {200, 302, 403}


@naive_dates
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", audit.KINDS)
@pytest.mark.parametrize("lookup", EDGES)
def test_a_date_at_the_edge_of_the_calendar_breaks_no_export(oscar, kind, lookup):
    query = f"?at__{lookup.replace('+', '%2B')}"

    read = oscar.get(f"{pages.about(AuditEvent)}export/{kind}/{query}")

    assert read.status_code in {200, 404}


@pytest.mark.parametrize("model", [ServiceKey, KeyService])
def test_an_address_that_brings_no_date_for_a_form_fills_in_nothing(oscar, model):
    page = oscar.get(pages.about(model, "add"), expires_at="abc")

    assert page.status_code == 200
