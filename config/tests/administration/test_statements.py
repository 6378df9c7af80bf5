"""Every list, form and autocomplete of admin takes few statements, however many rows."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.contrib import admin
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from authserver.models import Institution, ServiceKey
from authserver.tests import factories
from calendar_events.models import Change, Event
from calendar_events.models.guard import store_writes
from calendar_events.tests import factories as calendar
from config.tests.administration import every_page, pages
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
            *every_page.pages(model_admin, request),
            *every_page.autocompletes(model_admin),
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
@pytest.mark.nightly
@time_machine.travel(datetime(2026, 11, 20, 12, tzinfo=UTC), tick=False)
def test_every_page_takes_few_statements_and_no_more_with_ten_times_the_rows(here, ines):
    factories.RefusalCountFactory()
    log = [Change(at=timezone.now(), kind="", record=0, version=0) for _ in range(51)]
    Change.objects.bulk_create(log)  # more than a page, which takes a statement more
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


def test_what_a_contributor_may_see_is_decided_row_by_row(staff, here):
    contributor = staff("contributor", at=here.institution)

    with CaptureQueriesContext(connection) as statements:
        contributor.get(pages.about(Event))

    # A second look at the table would leave the index that has all that is asked.
    counts = [each["sql"] for each in statements if "COUNT(" in each["sql"]]
    assert [sql.count("SELECT") for sql in counts] == [1]


def test_a_list_of_events_is_counted_and_sorted_in_one_index():
    index = next(each for each in Event._meta.indexes if each.name == "event_in_admin")
    event_admin = admin.site.get_model_admin(Event)
    sorted_by = {
        getattr(getattr(event_admin, name, None), "admin_order_field", name)
        for name in event_admin.list_display
    }
    filtered_by = {name for name in event_admin.list_filter if isinstance(name, str)}

    filtered_by -= {"event_status"}  # few events have one: an index of its own
    assert sorted_by | filtered_by | {"password", "published_at"} <= set(index.fields)


def test_the_longest_values_fit_into_that_index():
    letters = "".join(map(chr, range(0x10000, 0x10000 + 600)))  # of four bytes each
    event = calendar.EventFactory(institution="1001", title=letters[:500])

    with store_writes():
        Event.objects.filter(pk=event.pk).update(
            password=letters[:255], timezone=letters[:64], institution=letters[-64:]
        )

    assert Event.objects.filter(institution=letters[-64:]).count() == 1
