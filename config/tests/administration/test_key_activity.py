"""What keys are used for: found in the list, seen on the page, changed by nobody."""

from datetime import timedelta

import pytest
from django.utils import timezone

from authserver.models import KeyRefusal, ServiceKey
from authserver.tests import factories
from config.tests.administration import pages

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def listed(response):
    return sorted(key.name for key in response.context["cl"].queryset)


@pytest.fixture
def keys(db):
    """By name: when each was last used and refused."""
    now = timezone.now()
    for name, used, refused in (
        ("of today", now, None),
        ("of winter", now - timedelta(days=91), None),
        ("never", None, None),
        ("broken", now - timedelta(days=89), now - timedelta(hours=1)),
        ("repaired", now, now - timedelta(days=3)),
        ("long repaired", now, now - timedelta(days=8)),
    ):
        key = factories.ServiceKeyFactory(name=name, last_used_at=used)
        if refused:
            factories.KeyRefusalFactory(key=key, at=refused)
    ServiceKey.objects.update(created=now - timedelta(days=100))
    factories.ServiceKeyFactory(name="new", last_used_at=None)


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("use=unused", ["never", "of winter"]),
        ("use=never", ["never", "new"]),
        ("refused=1", ["broken"]),
        ("refused=7", ["broken", "repaired"]),
    ],
)
def test_keys_are_found_by_what_they_are_used_for(kim, keys, chosen, found):
    address = pages.about(ServiceKey)

    assert listed(kim.get(f"{address}?{chosen}")) == found
    name, _, _ = chosen.partition("=")
    assert len(listed(kim.get(f"{address}?{name}=nonsense"))) == 7


@pytest.mark.parametrize("count", [1, 5])
def test_the_list_of_keys_costs_the_same_however_many(
    kim, keys, count, django_assert_num_queries
):
    for key in factories.ServiceKeyFactory.create_batch(count, last_used_at=timezone.now()):
        factories.KeyRefusalFactory.create_batch(count, key=key)

    with django_assert_num_queries(8):
        kim.get(pages.about(ServiceKey))


def test_the_page_of_a_key_has_its_last_use_and_refusals(kim, uma, here):
    ServiceKey.objects.filter(pk=here.key.pk).update(last_used_at="2026-11-20T08:00Z")
    factories.KeyRefusalFactory(key=here.key, reason="timestamp_invalid", path="/some/path")

    for staff in (kim, uma):
        page = staff.get(pages.of(here.key)).content.decode()
        assert "Nov. 20, 2026, 8 a.m." in page
        assert "timestamp_invalid" in page
        assert "/some/path" in page


def test_an_institution_sees_the_last_use_of_its_keys_and_no_refusals(ines, here, there):
    here.key.institutions.add(there.institution)
    ServiceKey.objects.update(last_used_at="2026-11-20T08:00Z")
    factories.KeyRefusalFactory(key=here.key, reason="timestamp_invalid")

    page = ines.get(pages.of(here.key))
    lists = ines.get(pages.about(ServiceKey))

    assert "Nov. 20, 2026, 8 a.m." in page.content.decode()
    assert "timestamp_invalid" not in page.content.decode()
    assert "Nov. 20, 2026, 8 a.m." in lists.content.decode()
    assert ines.get(pages.about(KeyRefusal)).status_code == 403
    assert "By refusals" not in lists.content.decode()
    assert ines.get(pages.of(there.key)).status_code == 302  # no such row, Django's way


def test_an_institution_learns_nothing_from_the_address_of_the_filter(ines, here):
    factories.KeyRefusalFactory(key=here.key)
    quiet = factories.ServiceKeyFactory(name="quiet", institutions=[here.institution])

    found = listed(ines.get(f"{pages.about(ServiceKey)}?refused=7"))

    assert found == sorted([here.key.name, quiet.name])


def test_nobody_changes_what_was_recorded(kim, here):
    refusal = factories.KeyRefusalFactory(key=here.key)
    before = ServiceKey.objects.get(pk=here.key.pk)
    form = pages.shown(kim.get(pages.of(here.key)))
    for prefix in ("service_links", "institution_links"):
        form |= {f"{prefix}-TOTAL_FORMS": 0, f"{prefix}-INITIAL_FORMS": 0}

    answer = kim.post(
        pages.of(here.key),
        **form
        | {
            "name": "Renamed",
            "last_used_at": "2020-01-01",
            "last_used_at_0": "2020-01-01",
            "last_used_at_1": "00:00",
            "refusals-TOTAL_FORMS": 1,
            "refusals-INITIAL_FORMS": 1,
            "refusals-0-id": refusal.pk,
            "refusals-0-key": here.key.pk,
            "refusals-0-reason": "another",
            "refusals-0-DELETE": "on",
        },
    )

    assert answer.status_code == 302
    after = ServiceKey.objects.get(pk=here.key.pk)
    assert (after.name, after.last_used_at) == ("Renamed", before.last_used_at)
    assert KeyRefusal.objects.get().reason == refusal.reason


def test_a_key_is_deleted_with_its_refusals(db, client):
    root = factories.UserFactory(administrator=True)
    client.force_login(root)
    refusal = factories.KeyRefusalFactory()

    client.post(pages.of(refusal.key, "delete"), {"post": "yes"})

    assert not ServiceKey.objects.filter(pk=refusal.key.pk).exists()
