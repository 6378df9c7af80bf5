"""Every link that a list of admin offers leads to an answer."""

import pytest
from django.contrib import admin
from lxml import html

from authserver.tests import factories
from config.tests.administration import pages
from config.tests.administration.conftest import Staff

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kept_to", ["platform", "institution"])
@pytest.mark.parametrize(
    "model_admin",
    admin.site._registry.values(),
    ids=lambda model_admin: model_admin.opts.object_name,
)
def test_every_filter_and_every_order_of_a_list_is_allowed(
    here, there, model_admin, kept_to
):
    if kept_to == "institution" and not model_admin.institution_path:
        pytest.skip("for the platform alone")
    at = here.institution if kept_to == "institution" else None
    root = Staff(factories.UserFactory(institution=at, is_staff=True, is_superuser=True))
    address = pages.about(model_admin.model)

    page = html.fromstring(root.get(address).content)
    links = {link for link in page.xpath("//main//a/@href") if link.startswith("?")}

    answers = {link: root.client.get(f"{address}{link}").status_code for link in links}
    assert {link: status for link, status in answers.items() if status != 200} == {}
    assert links
