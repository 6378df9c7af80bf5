"""Exports of many rows: made in the background, each row once, and kept for a while."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from authserver import retention
from authserver.jobs import running
from authserver.models import Job, JobFilePart
from authserver.tests import factories
from config.tests.administration import pages
from config.tests.administration.exports import ask, download, lines, only

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_few_are_many")]


def test_an_export_of_many_rows_is_offered_and_begun_by_a_click(ines, record):
    address = reverse("admin:authserver_auditevent_export", args=["csv"])

    offered = ines.get(address)
    nothing = Job.objects.exists()
    answer = ask(ines, "csv")

    assert "Make the file" in offered.content.decode()
    assert not nothing
    assert answer["Location"] == pages.of(only())
    assert (
        "This is running in the background" in ines.get(pages.of(only())).content.decode()
    )


def test_the_file_has_the_rows_of_the_list_the_last_first(ines, record, work):
    ask(ines, query="?q=request-at-1001")

    work()
    answer = download(ines, only())

    rows = lines(answer)
    assert len(rows) == 5
    assert {row["registry_id"] for row in rows} == {"1001"}
    assert [row["at"] for row in rows] == sorted((row["at"] for row in rows), reverse=True)
    assert answer["Content-Disposition"] == 'attachment; filename="audit.jsonl"'
    assert "no-store" in answer["Cache-Control"]


def test_a_file_of_several_portions_has_one_line_of_names(ines, record, work):
    ask(ines, "csv")

    work()
    text = b"".join(download(ines, only()).streaming_content).decode()

    assert text.count("registry_id") == 1
    assert len(text.splitlines()) == 8
    assert len(text.encode()) == only().size


def test_its_page_says_how_far_it_is_and_has_the_file(ines, record, work):
    ask(ines)
    waiting = ines.get(pages.of(only())).content.decode()

    running._do_portion(only().pk)
    under_way = ines.get(pages.of(only())).content.decode()
    work()
    done = ines.get(pages.of(only())).content.decode()

    assert "Waiting" in waiting
    assert "Running" in under_way
    assert "3 of 7" in under_way
    assert pages.of(only(), "download") not in under_way
    assert "7 of 7" in done
    assert pages.of(only(), "download") in done


def test_a_worker_that_dies_in_the_middle_loses_nothing_and_writes_nothing_twice(
    ines, record, work, monkeypatch
):
    ask(ines)
    running._do_portion(only().pk)

    with monkeypatch.context() as dying:
        dying.setattr(Job, "save", lambda *args, **kwargs: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            running._do_portion(only().pk)
    running.work_on_job.enqueue(only().pk)  # twice in the queue
    work()

    seen = [row["request_id"] for row in lines(download(ines, only()))]
    assert len(seen) == 7
    assert JobFilePart.objects.count() == 3


def test_what_takes_long_is_left_to_the_next_task(ines, record, work, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 0.0)
    ask(ines)

    work()

    assert len(lines(download(ines, only()))) == 7
    assert DBTaskResult.objects.count() == 3


def test_a_full_disk_is_seen_at_the_job_and_mended_by_another_try(
    ines, oscar, record, work, monkeypatch
):
    def full(**_columns):
        raise OperationalError("database or disk is full")

    ask(ines)
    with monkeypatch.context() as filled:
        filled.setattr(JobFilePart.objects, "create", full)
        work()
    page = ines.get(pages.of(only())).content.decode()
    failed = DBTaskResult.objects.get()
    tasks = oscar.get(pages.about(DBTaskResult)).content.decode()
    DBTaskResult.objects.update(status="FAILED")
    oscar.post(pages.about(DBTaskResult), action="try_again", _selected_action=[failed.pk])
    work()

    assert "Failed; retried" in page
    assert "OperationalError: database or disk is full" in page
    assert "disk is full" in tasks
    assert len(lines(download(ines, only()))) == 7
    assert only().error == ""


def test_a_file_that_grows_too_large_is_given_up(ines, record, work, settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "EXPORT_MAX_BYTES": 1000}
    ask(ines)

    work()

    page = ines.get(pages.of(only())).content.decode()
    assert "the file would be larger than 1,000 bytes" in page
    assert not JobFilePart.objects.exists()
    assert DBTaskResult.objects.get().status == "SUCCESSFUL"  # not tried again


def test_a_portion_counts_no_list_and_needs_no_page_of_it(ines, record, work):
    ask(ines, query="?p=99")
    running._do_portion(only().pk)  # counts the total, once

    with CaptureQueriesContext(connection) as portion:
        running._do_portion(only().pk)
    work()

    assert not [query for query in portion if "COUNT(" in query["sql"]]
    assert len(lines(download(ines, only()))) == 7


def test_an_identifier_longer_than_its_column_is_kept_as_far_as_it_goes(
    ines, record, settings
):
    proxy = {**settings.PLATFORM_ERRORS, "TRUSTED_PROXIES": ["127.0.0.1"]}
    settings.PLATFORM_ERRORS = proxy
    address = reverse("admin:authserver_auditevent_export", args=["csv"])

    answer = ines.client.post(address, headers={"x-svc-RequestId": "r" * 128})

    assert answer.headers["x-svc-RequestId"] == "r" * 128
    assert only().request_id == "r" * 64


# --- Stopping -----------------------------------------------------------------------------


def stop(someone, job):
    return someone.post(pages.of(job, "stop"))


def test_who_asked_can_stop_it_and_nothing_is_left_of_the_file(ines, record, work):
    ask(ines)
    running._do_portion(only().pk)
    running_page = ines.get(pages.of(only())).content.decode()

    answer = stop(ines, only())
    work()

    ended_page = ines.get(answer["Location"]).content.decode()
    assert pages.of(only(), "stop") in running_page
    assert pages.of(only(), "stop") not in ended_page
    assert (only().error, only().position) == (running.STOPPED, 3)
    assert "Ended early" in ended_page
    assert not JobFilePart.objects.exists()


IMPATIENT = {"sqlite": "PRAGMA busy_timeout = 50", "postgresql": "SET lock_timeout = 50"}


@pytest.mark.django_db(transaction=True)
def test_who_stops_it_while_a_portion_takes_long_is_asked_to_try_again(ines, record):
    ask(ines)
    worker = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute(IMPATIENT[connection.vendor])

    try:
        with worker.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("UPDATE authserver_job SET position = position + 1")
            during = stop(ines, only())
    finally:
        worker.close()
    said, is_running = ines.get(pages.of(only())).content.decode(), not only().finished_at
    stop(ines, only())
    connection.close()

    assert during["Location"] == pages.of(only())
    assert "at work right now" in said
    assert is_running
    assert only().error == running.STOPPED


def test_nobody_else_stops_it_and_not_by_a_link(ines, oscar, kim, record):
    ask(ines)

    others = [stop(someone, only()).status_code for someone in (oscar, kim)]
    by_link = ines.get(pages.of(only(), "stop")).status_code

    assert (others, by_link) == ([404, 404], 405)
    assert only().finished_at is None
    assert pages.of(only(), "stop") not in oscar.get(pages.of(only())).content.decode()


def test_what_is_finished_is_not_stopped_any_more(ines, record, work):
    ask(ines)
    work()

    stop(ines, only())

    assert only().error == ""
    assert len(lines(download(ines, only()))) == 7


# --- How many, and how long ---------------------------------------------------------------


def test_a_person_has_a_few_jobs_at_a_time(ines, record):
    factories.JobFactory.create_batch(9, user=ines.user)
    factories.JobFactory(user=ines.user, finished=True, expires_at=None)

    tenth, eleventh = ask(ines), ask(ines)
    said = ines.get(eleventh["Location"]).content.decode()

    assert tenth["Location"] == pages.of(Job.objects.latest("pk"))
    assert Job.objects.count() == 11
    assert "you already have 10 exports and changes that are running" in said


def test_a_job_that_has_failed_for_good_takes_no_room_after_a_day(ines, record):
    long_ago = timezone.now() - timedelta(days=1, seconds=1)
    factories.JobFactory.create_batch(
        10, user=ines.user, error="OperationalError: full", asked_at=long_ago
    )
    none_moved = ask(ines)
    Job.objects.update(progressed_at=long_ago + timedelta(seconds=10))

    one_moved = ask(ines)

    assert none_moved["Location"] != one_moved["Location"]
    assert Job.objects.count() == 11


def test_a_file_is_kept_for_a_day_and_its_job_for_two_weeks(ines, record, work):
    ask(ines)
    work()
    now = timezone.now()

    retention.clear(now + timedelta(hours=23))
    kept = JobFilePart.objects.count()
    retention.clear(now + timedelta(hours=25))
    parts, jobs = JobFilePart.objects.count(), Job.objects.count()
    retention.clear(now + timedelta(days=15))

    assert (kept, parts, jobs) == (3, 0, 1)
    assert not Job.objects.exists()


def test_a_file_whose_time_is_over_is_not_answered_though_it_is_still_there(
    ines, record, work
):
    ask(ines)
    work()
    Job.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    answer = download(ines, only())

    assert answer.status_code == 404
    assert "No longer kept" in ines.get(pages.of(only())).content.decode()


def test_an_address_of_no_job_is_not_found(ines, record):
    for key in ("0", "x", "9" * 30):
        address = reverse("admin:authserver_job_download", args=[key])
        assert ines.get(address).status_code == 404


def test_a_job_whose_filter_makes_no_sense_any_more_is_not_done(ines, record, work):
    ask(ines)
    Job.objects.update(arguments={"query": "details__contains=x"})

    work()

    assert only().error == running.NO_FILTER
