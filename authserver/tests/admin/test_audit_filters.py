"""Django admin: the audit record is narrowed by each thing that it names."""

import csv

import pytest
from django.urls import reverse

from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LIST = reverse("admin:authserver_auditevent_changelist")
BOXES = {
    "actor": "actor",
    "subject": "subject",
    "registry_id": "institution",
    "client_id": "key",
    "reason": "reason",
    "address": "address",
    "request_id": "request identifier",
}


@pytest.fixture
def events(desk):
    """One that is looked for, and for each column one that differs in it alone."""
    wanted = {name: f"the {name}" for name in BOXES}
    factories.AuditEventFactory(action="token_refused", **wanted)
    for name in BOXES:
        factories.AuditEventFactory(
            action="token_refused", **wanted | {name: f"the {name} 2"}
        )


def listed(desk):
    return len(desk.page.xpath("//*[@id='result_list']/tbody/tr"))


@pytest.mark.parametrize("name", BOXES)
def test_the_record_is_filtered_by_what_is_typed(desk, events, name):
    desk.open(LIST).press(**{name: f"the {name} 2"})

    assert listed(desk) == 1
    desk.follow(f"Any {BOXES[name]}")
    assert listed(desk) > len(BOXES)


def test_filters_add_up_and_keep_search_and_order(desk, events):
    desk.open(f"{LIST}?action__exact=token_refused&q=token_refused+the&o=2")
    for name in BOXES:
        desk.press(**{name: f"the {name}"})

    assert desk.response.wsgi_request.GET.dict() == {
        "action__exact": "token_refused",
        "q": "token_refused the",
        "o": "2",
        **{name: f"the {name}" for name in BOXES},
    }


def test_a_part_of_a_text_is_not_the_text(desk, events):
    assert listed(desk.open(f"{LIST}?reason=the")) == 0


def test_a_box_that_is_left_empty_filters_nothing(desk, events):
    everything = listed(desk.open(LIST))

    assert listed(desk.open(f"{LIST}?reason=")) == everything


def test_the_files_have_what_was_filtered(desk, events):
    desk.open(f"{LIST}?reason=the+reason+2").follow("Export as CSV")

    content = desk.response.getvalue().decode()
    rows = list(csv.DictReader(content.splitlines()))
    assert [row["reason"] for row in rows] == ["the reason 2"]


def test_staff_of_an_institution_filter_their_own_rows(client, riverside):
    root = factories.UserFactory(institution=riverside, is_staff=True, is_superuser=True)
    client.force_login(root)
    for registry_id in ("1001", "1002"):
        factories.AuditEventFactory(registry_id=registry_id, reason="secret_mismatch")

    found = client.get(LIST, {"reason": "secret_mismatch"}).context["cl"].queryset
    elsewhere = client.get(LIST, {"registry_id": "1002"}).context["cl"].queryset

    assert [event.registry_id for event in found] == ["1001"]
    assert elsewhere.count() == 0
