"""Every list, form and autocomplete of admin takes few statements, however many rows."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.contrib import admin
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from authserver.models import Institution, ServiceKey
from authserver.tests import factories
from benchmarks import administration
from config.tests.administration.conftest import Staff, World

pytestmark = pytest.mark.django_db

MOST = 15


def statements(someone):
    """Return how many statements each page takes; the second time, as in a busy process."""
    counted = {}
    request = RequestFactory().get("/")
    request.user = someone.user
    for model_admin in admin.site._registry.values():
        addresses = [
            *administration.pages(model_admin, request),
            *administration.autocompletes(model_admin),
        ]
        for _, address in addresses:
            someone.get(address)
            with CaptureQueriesContext(connection) as queries:
                answer = someone.get(address)
            if answer.status_code == 200:
                counted[address] = len(queries)
    return counted


def fill(start):
    for number in range(start, start + 10):
        World(str(number), f"Institution {number}")
    everywhere = [
        factories.KeyInstitutionFactory.build(key=key, institution=institution)
        for key in ServiceKey.objects.all()[:1]
        for institution in Institution.objects.exclude(key_links__key=key)
    ]
    for link in everywhere:
        link.save()


# At one moment: a session in use is written back once a minute, which is a statement.
@time_machine.travel(datetime(2026, 11, 20, 12, tzinfo=UTC), tick=False)
def test_every_page_takes_few_statements_and_no_more_with_ten_times_the_rows(here, ines):
    factories.RefusalCountFactory()
    factories.JobFactory(user=ines.user)
    root = Staff(factories.UserFactory(administrator=True))
    before = {0: statements(root), 1: statements(ines)}
    fill(2001)
    after = {0: statements(root), 1: statements(ines)}

    for who, least in enumerate((70, 45)):
        shared = before[who].keys() & after[who].keys()
        assert len(shared) >= least
        more = {each for each in shared if after[who][each] > before[who][each]}
        assert more == set()
        assert [each for each, count in after[who].items() if count > MOST] == []
