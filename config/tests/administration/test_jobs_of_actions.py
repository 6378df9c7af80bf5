"""Changes of many rows: in portions, with the rights of the moment, none done twice."""

import threading

import pytest
from django.contrib.auth.models import Group
from django.db import OperationalError, connections
from django_tasks_db.models import DBTaskResult

from authserver.jobs import running
from authserver.models import Job, User
from authserver.tests import factories
from calendar_events.models import Event
from calendar_events.services import events
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from config.tests.administration.exports import only
from platform_errors.admin import bulk

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_pages_are_short")]


@pytest.fixture
def editor(staff, here):
    return staff("editor", at=here.institution)


@pytest.fixture
def drafts(here):
    """Five drafts of one institution, besides its one."""
    of = {"institution": "1001", "author": here.person, "status": "draft"}
    return calendar.EventFactory.create_batch(5, **of)


def act(someone, action, query="", **fields):
    return pages.act(someone, Event, action, query, **fields)


def published():
    return Event.objects.filter(status="publish", institution="1001").count()


def test_a_page_of_rows_is_changed_at_once(editor, here):
    act(editor, "publish")

    assert not Job.objects.exists()
    assert published() == 2


def test_more_than_a_page_is_changed_in_the_background(editor, drafts, work):
    answer = act(editor, "publish", query="?status__exact=draft")
    before = published()
    message = editor.get(answer["Location"]).content.decode()
    work()

    assert before == 1
    assert pages.of(only()) in message
    assert published() == 7
    assert (only().title, only().total, only().done) == ("Publish: events", 6, 6)


def test_the_history_says_who_did_it(editor, drafts, work):
    act(editor, "publish")

    work()

    assert drafts[0].history.first().history_user == editor.user


def test_its_page_says_how_many_were_changed_passed_over_and_refused(
    staff, here, drafts, work
):
    author = staff("author", at=here.institution)
    for status in ("draft", "draft", "draft", "publish"):
        calendar.EventFactory(institution="1001", author=author.user, status=status)
    calendar.EventFactory(institution="1001", author=here.person)
    act(author, "move_to_trash")  # of two that are published by somebody else
    work()
    trashed = author.get(pages.of(only())).content.decode()
    act(author, "publish")
    work()
    passed = author.get(pages.of(Job.objects.latest("pk"))).content.decode()

    assert "6 of 6" in trashed
    assert "somebody else just did: 2." in trashed
    assert ">4<" in trashed.replace("\n", "").replace(" ", "")
    assert "6: deleted, not accessible to you, or already as requested" in passed


def test_what_was_selected_is_changed_and_nothing_that_came_later(
    editor, here, drafts, work
):
    act(editor, "publish")
    late = calendar.EventFactory(institution="1001", author=here.person, status="draft")

    work()

    late.refresh_from_db()
    assert late.status == "draft"


def test_another_institution_is_not_touched(editor, drafts, there, work):
    act(editor, "publish")
    Job.objects.update(rows=[*only().rows, there.draft.pk], total=8)

    work()

    there.draft.refresh_from_db()
    assert there.draft.status == "draft"
    assert only().position == 8


def test_a_worker_that_dies_in_the_middle_is_followed_by_one_that_goes_on(
    editor, drafts, work, monkeypatch
):
    act(editor, "publish")
    running._do_portion(only().pk)
    written = []
    update = events.update_event

    def die_at_the_second(**given):
        if len(written) == 1:
            raise OperationalError("the database went away")
        written.append(given["pk"])
        return update(**given)

    with monkeypatch.context() as dying:
        dying.setattr(events, "update_event", die_at_the_second)
        work()
    half, page = only(), editor.get(pages.of(only())).content.decode()
    versions = dict(Event.objects.values_list("pk", "version"))
    DBTaskResult.objects.update(status="READY")
    running.work_on_job.enqueue(half.pk)  # and once more
    work()

    assert (half.position, half.error) == (2, "OperationalError: the database went away")
    assert "the database went away" in page
    assert (only().done, only().error, published()) == (6, "", 7)
    after = dict(Event.objects.values_list("pk", "version"))
    assert all(after[pk] - versions[pk] <= 1 for pk in versions)


def test_a_finished_job_does_nothing_more(editor, drafts, work):
    act(editor, "publish")
    work()
    versions = dict(Event.objects.values_list("pk", "version"))

    running.work_on_job.enqueue(only().pk)
    work()

    assert dict(Event.objects.values_list("pk", "version")) == versions


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_change_no_record_twice(editor, drafts):
    act(editor, "publish")
    job, before = only(), dict(Event.objects.values_list("pk", "version"))

    def work():
        try:
            running.work_on_job.call(job.pk)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()

    job.refresh_from_db()
    after = dict(Event.objects.values_list("pk", "version"))
    changed = [pk for pk, version in after.items() if version > before[pk]]
    assert (job.position, job.done, len(changed)) == (7, 6, 6)
    assert all(after[pk] == before[pk] + 1 for pk in changed)


@pytest.mark.parametrize("role", ["", "reader", "contributor"])
def test_a_right_that_was_taken_away_meanwhile_counts(editor, drafts, work, role):
    act(editor, "publish")
    running._do_portion(only().pk)
    in_time = published() - 1
    editor.user.groups.set(Group.objects.filter(name=role))

    work()

    assert (in_time, only().position) == (1, 2)
    assert (published(), only().done) == (1 + in_time, in_time)
    assert only().error == running.NO_RIGHT


def test_who_must_choose_a_new_password_meanwhile_changes_nothing_more(
    editor, drafts, work
):
    act(editor, "publish")
    running._do_portion(only().pk)
    User.objects.filter(pk=editor.user.pk).update(must_change_password=True)

    work()

    assert (only().position, only().error) == (2, running.NOT_YET)
    assert published() == 1 + only().done


def test_who_becomes_an_author_meanwhile_changes_their_own(editor, drafts, work):
    mine = calendar.EventFactory(institution="1001", author=editor.user, status="draft")
    act(editor, "publish")
    editor.user.groups.set(Group.objects.filter(name="author"))

    work()

    mine.refresh_from_db()
    assert (mine.status, only().done, published()) == ("publish", 1, 2)


def test_a_disabled_person_changes_nothing(editor, drafts, work):
    act(editor, "publish")
    User.objects.filter(pk=editor.user.pk).update(is_active=False)

    work()

    assert (published(), only().error) == (1, running.NO_RIGHT)


def test_events_move_to_a_venue_that_is_asked_for_first(editor, here, drafts, work):
    asked = act(editor, "move_to_venue")
    none = Job.objects.exists()
    act(editor, "move_to_venue", target=str(here.venue.pk))
    work()

    assert asked.status_code == 200
    assert not none
    assert only().title == "Move to another venue: events"
    assert here.venue.events.count() == 7


def test_a_venue_that_is_gone_meanwhile_is_said(editor, here, drafts, work):
    act(editor, "move_to_venue", target=str(here.venue.pk))
    editor.post(pages.of(here.venue, "delete"), post="yes")

    work()

    assert only().error == running.NO_CHOICE


def test_a_venue_that_is_another_s_is_refused_before_anything_is_begun(
    editor, drafts, there
):
    answer = act(editor, "move_to_venue", target=str(there.venue.pk))

    assert answer.status_code == 200
    assert not Job.objects.exists()


def test_more_rows_than_a_job_may_have_are_refused(editor, drafts, monkeypatch):
    monkeypatch.setattr(bulk, "MOST_ROWS", 4)

    answer = act(editor, "publish")

    assert "select at most 4 rows" in editor.get(answer["Location"]).content.decode()
    assert not Job.objects.exists()


def test_who_has_too_many_jobs_reads_why_nothing_starts(editor, drafts):
    factories.JobFactory.create_batch(10, user=editor.user)

    answer = act(editor, "publish")

    assert (
        "Not started: you already have 10"
        in editor.get(answer["Location"]).content.decode()
    )


def test_without_anybody_who_takes_over_everything_is_done_at_once(
    editor, drafts, settings
):
    settings.PLATFORM_ERRORS = {**settings.PLATFORM_ERRORS, "JOBS": ""}

    act(editor, "publish")

    assert published() == 7
