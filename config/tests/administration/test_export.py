"""The audit record as a file: what the list shows, and nothing that runs."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from authserver.models import AuditEvent
from authserver.tests import factories

pytestmark = pytest.mark.django_db


def download(someone, kind, **query):
    return someone.get(reverse("admin:authserver_auditevent_export", args=[kind]), **query)


def text(response):
    return b"".join(response.streaming_content).decode()


def lines(response):
    return [json.loads(line) for line in text(response).splitlines()]


def test_the_record_is_exported_as_json_lines_the_last_first(oscar, here, there):
    response = download(oscar, "jsonl")

    rows = lines(response)
    assert response["Content-Disposition"] == 'attachment; filename="audit.jsonl"'
    assert "no-store" in response["Cache-Control"]
    assert [row["registry_id"] for row in rows if row["registry_id"]] == ["1002", "1001"]
    assert set(rows[0]) == {
        *("at", "action", "actor", "subject", "client_id", "registry_id", "reason"),
        *("address", "request_id", "details"),
    }


def test_the_record_is_exported_as_csv(oscar, here):
    AuditEvent.objects.create(
        at=here.audit.at, action="login_failed", subject='a "name", with\nlines', details={}
    )

    rows = list(csv.DictReader(io.StringIO(text(download(oscar, "csv")))))

    assert rows[0]["subject"] == 'a "name", with\nlines'
    assert rows[0]["at"] == here.audit.at.isoformat()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_is_no_formula(oscar, here, start):
    word = f"{start}HYPERLINK(1)"
    factories.AuditEventFactory(subject=word)

    rows = list(csv.DictReader(io.StringIO(text(download(oscar, "csv")), newline="")))

    assert rows[0]["subject"] == f"'{word}"


def test_an_institution_exports_its_own_record(ines, here, there):
    assert {row["registry_id"] for row in lines(download(ines, "jsonl"))} == {"1001"}


def test_an_export_has_what_the_list_was_searched_and_filtered_for(oscar, here, there):
    factories.AuditEventFactory(action="login_failed", registry_id="1001")

    filtered = lines(download(oscar, "jsonl", action__exact="login_failed"))
    searched = lines(download(oscar, "jsonl", q="1002"))

    assert [row["action"] for row in filtered] == ["login_failed"]
    assert [row["registry_id"] for row in searched] == ["1002"]


def test_an_export_costs_the_same_however_many_rows(oscar, django_assert_num_queries):
    factories.AuditEventFactory.create_batch(3)
    download(oscar, "jsonl")
    with CaptureQueriesContext(connection) as few:
        download(oscar, "jsonl")
    factories.AuditEventFactory.create_batch(30)

    with django_assert_num_queries(len(few)):
        answer = download(oscar, "jsonl")

    assert len(lines(answer)) == AuditEvent.objects.count()


@pytest.mark.parametrize("kind", ["xml", "csv2"])
def test_another_kind_is_not_found(oscar, kind):
    assert download(oscar, kind).status_code == 404


def test_a_question_that_the_filters_do_not_ask_is_refused(oscar):
    assert download(oscar, "csv", details__contains="x").status_code == 400
    assert download(oscar, "csv", at__gte="never").status_code == 404


def test_the_export_is_for_those_who_may_read_the_record(staff, here):
    editor = staff("editor", at=here.institution)

    assert download(editor, "csv").status_code == 403


def test_the_list_leads_to_its_export(oscar, here):
    page = oscar.get(
        reverse("admin:authserver_auditevent_changelist"), action__exact="login_failed"
    ).content.decode()

    assert "/export/csv/?action__exact=login_failed" in page


@pytest.mark.usefixtures("_few_are_many")
@pytest.mark.parametrize("count", [0, 2, 3, 4, 6, 7])
def test_every_row_is_exported_once_however_many_statements_it_takes(oscar, count):
    made = factories.AuditEventFactory.create_batch(count, action="code_replayed")

    rows = lines(download(oscar, "jsonl", action__exact="code_replayed"))

    assert [row["at"] for row in rows] == [event.at.isoformat() for event in made[::-1]]


@pytest.mark.usefixtures("_few_are_many")
def test_an_export_of_an_institution_has_its_own_rows_alone_in_every_batch(ines, record):
    rows = lines(download(ines, "jsonl"))

    assert len(rows) > 6
    assert {row["registry_id"] for row in rows} == {"1001"}
