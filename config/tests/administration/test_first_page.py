"""The first page of admin: what to look after, for those whom it concerns."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from authserver.admin import dashboard
from authserver.models import AuditEvent
from authserver.tests import factories
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from config.tests.administration.conftest import Staff
from institution_admin.dashboard import Chart

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Action = AuditEvent.Action
INDEX = "admin:index"


def blocks(someone):
    return {block.title: block for block in someone.get(reverse(INDEX)).context["blocks"]}


def texts(someone, title):
    return [(row.text, row.note) for row in blocks(someone)[title].rows]


def record(action, times=1, **fields):
    return [factories.AuditEventFactory(action=action, **fields) for _ in range(times)]


def test_keys_that_expire_lead_to_their_pages(oscar):
    now = timezone.now()
    soon = factories.ServiceKeyFactory(name="Soon", expires_at=now + timedelta(days=9))
    gone = factories.ServiceKeyFactory(name="Gone", expires_at=now - timedelta(days=2))
    factories.ServiceKeyFactory(name="Later", expires_at=now + timedelta(days=40))
    factories.ServiceKeyFactory(name="Long ago", expires_at=now - timedelta(days=40))
    factories.ServiceKeyFactory(name="Canceled", status="canceled", expires_at=now)

    rows = blocks(oscar)["Keys that expire"].rows

    assert [(row.text, row.url) for row in rows] == [
        (str(gone), pages.of(gone)),
        (str(soon), pages.of(soon)),
    ]
    assert [row.note.split()[0] for row in rows] == ["expired", "expires"]


def test_failures_are_counted_by_login_key_and_reason(oscar):
    record(Action.LOGIN_FAILED, 3, subject="a@1001", reason="wrong_password")
    record(Action.LOGIN_LOCKED, 1, subject="b@1001")
    record(Action.CLIENT_REFUSED, 2, client_id="night", reason="secret_mismatch")
    record(Action.TOKEN_ISSUED, 5, client_id="day")
    long_ago = timezone.now() - timedelta(days=dashboard.DAYS, minutes=1)
    record(Action.TOKEN_REFUSED, 9, client_id="old", reason="old", at=long_ago)

    assert texts(oscar, "Failed logins") == [("a@1001", "3"), ("b@1001", "1")]
    assert texts(oscar, "Keys that fail") == [("night", "2")]
    assert texts(oscar, "Refusals by reason") == [
        ("wrong_password", "3"),
        ("secret_mismatch", "2"),
    ]


def test_refused_requests_are_counted_by_key_and_reason(oscar, ines, here):
    night = factories.ServiceKeyFactory(client_id="night")
    for reason in ("signature_invalid", "signature_invalid", "nonce_used"):
        factories.KeyRefusalFactory(key=night, reason=reason)
    factories.KeyRefusalFactory(key=here.key, reason="nonce_used")
    long_ago = timezone.now() - timedelta(days=dashboard.DAYS, minutes=1)
    factories.KeyRefusalFactory(key=here.key, reason="old", at=long_ago)

    assert texts(oscar, "Refused requests by key") == [
        ("night", "3"),
        (here.key.client_id, "1"),
    ]
    assert sorted(texts(oscar, "Refused requests by reason")) == [
        ("nonce_used", "2"),
        ("signature_invalid", "2"),
    ]
    (row, _) = blocks(oscar)["Refused requests by key"].rows
    assert oscar.get(row.url).context["cl"].result_count == 3
    # They tell of all institutions on a key.
    assert "Refused requests by key" not in blocks(ines)


def test_a_row_leads_to_its_entries(oscar):
    record(Action.CLIENT_REFUSED, client_id="a b&c")
    (row,) = blocks(oscar)["Keys that fail"].rows

    assert oscar.get(row.url).context["cl"].result_count == 1


def test_of_a_long_record_the_newest_are_read_and_the_page_says_since_when(
    oscar, monkeypatch
):
    monkeypatch.setattr(dashboard, "NEWEST", 3)
    at = timezone.now() - timedelta(hours=1)
    record(Action.LOGIN_FAILED, 4, subject="a@1001", at=at)

    block = blocks(oscar)["Failed logins"]

    assert [row.note for row in block.rows] == ["3"]
    assert block.note == f"since {at:%d %B, %H:%M} UTC"


def test_upcoming_events_are_public_and_come_in_order(oscar):
    for title, days in (("Second", 2), ("First", 1), ("Past", -9)):
        calendar.EventFactory(title=title, start=calendar.at_day(days))
    calendar.EventFactory(title="Draft", status="draft", start=calendar.at_day(1))

    assert [text for text, _ in texts(oscar, "Upcoming events")] == ["First", "Second"]


def test_what_waits_for_review_is_counted_and_listed(oscar, monkeypatch):
    monkeypatch.setattr("institution_admin.dashboard.MOST", 6)
    calendar.EventFactory.create_batch(6, status="pending")
    block = blocks(oscar)["Waiting for review"]
    calendar.EventFactory(status="pending")

    assert (len(block.rows), block.note) == (5, "6 in all")
    assert blocks(oscar)["Waiting for review"].note == "more than 6 in all"
    assert oscar.get(block.url).context["cl"].result_count == 7


def test_each_meets_what_they_may_view(kim, uma, staff, here):
    everything = {
        *("Keys that expire", "Failed logins", "Keys that fail", "Refusals by reason"),
        *("Refused requests by key", "Refused requests by reason"),
        *("Upcoming events", "Waiting for review", "Failed background tasks"),
    }
    not_of_keys = {"Upcoming events", "Waiting for review", "Failed background tasks"}
    erin = staff("editor", at=here.institution)

    assert blocks(uma).keys() == everything
    assert blocks(kim).keys() == everything - not_of_keys
    assert blocks(erin).keys() == {"Upcoming events", "Waiting for review"}


def test_staff_of_an_institution_meet_its_rows_alone(ines, there):
    soon = timezone.now() + timedelta(days=9)
    factories.ServiceKeyFactory(expires_at=soon, institutions=[there.institution])
    record(Action.LOGIN_FAILED, subject="x@1002", reason="r", registry_id="1002")
    record(Action.CLIENT_REFUSED, client_id="theirs", reason="r", registry_id="1002")
    calendar.EventFactory(institution="1002", status="pending")

    rows = {title: [row.text for row in b.rows] for title, b in blocks(ines).items()}
    assert rows.pop("Upcoming events") == ["Evening at Riverside"]
    assert not any(rows.values())


def test_the_page_takes_the_same_statements_however_much_there_is(here):
    root = Staff(factories.UserFactory(administrator=True))

    def statements():
        with CaptureQueriesContext(connection) as queries:
            root.get(reverse(INDEX))
        return len(queries)

    statements()
    before = statements()
    record(Action.LOGIN_FAILED, 30, subject="a@1001", reason="wrong_password")
    calendar.EventFactory.create_batch(10, status="pending")

    assert (statements(), before <= 15) == (before, True)


def test_a_chart_is_drawn_to_the_highest_day_and_said_in_words():
    chart = Chart([("Mon 1", 0), ("Tue 2", 4), ("Wed 3", 2)])

    assert [(each.y, each.height) for each in chart.columns] == [(31, 1), (0, 32), (16, 16)]
    assert chart.words == "Mon 1: 0, Tue 2: 4, Wed 3: 2"
    assert [each.height for each in Chart([("Mon 1", 0)]).columns] == [1]
