"""Background tasks in admin: seen by the platform, tried again by operators."""

import pytest
from django_tasks_db.models import DBTaskResult

from authserver.models import AuditEvent
from config.tests.administration import pages
from config.tests.background import tasks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def failed():
    tasks.break_down.enqueue("what the task was given")
    row = DBTaskResult.objects.get()
    row.status = "FAILED"
    row.worker_ids = ["one", "two"]
    row.traceback = (
        'File "somewhere.py", line 1\nValueError: the mail server refused (550)\n'
    )
    row.save()
    return row


def try_again(someone, row):
    return someone.post(
        pages.about(DBTaskResult), action="try_again", _selected_action=[row.pk]
    )


@pytest.mark.parametrize("who", ["oscar", "uma"])
def test_the_platform_sees_how_far_a_task_is_and_what_went_wrong(request, who, failed):
    someone = request.getfixturevalue(who)

    page = someone.get(pages.about(DBTaskResult)).content.decode()
    one = someone.get(pages.of(failed)).content.decode()

    for shown in (page, one):
        assert "break down" in shown
        assert "Failed" in shown
        assert "2 of 6" in shown
        assert "ValueError: the mail server refused (550)" in shown
        assert "somewhere.py" not in shown
        assert "what the task was given" not in shown
    assert "Save" not in one


def test_the_first_page_names_failed_tasks_and_says_how_many_wait(oscar, kim, failed):
    tasks.break_down.enqueue("another")

    shown = {block.title: block for block in oscar.get("/admin/").context["blocks"]}
    others = {block.title for block in kim.get("/admin/").context["blocks"]}

    block = shown["Failed background tasks"]
    assert [(row.text, row.url) for row in block.rows] == [("break down", pages.of(failed))]
    assert block.note == "1 in all, 1 wait"
    assert oscar.get(block.url).context["cl"].result_count == 1
    assert "Failed background tasks" not in others


@pytest.mark.parametrize("who", ["ines", "kim"])
def test_nobody_else_does(request, who, failed, here):
    someone = request.getfixturevalue(who)

    assert someone.get(pages.about(DBTaskResult)).status_code == 403
    assert someone.get(pages.of(failed)).status_code in {302, 403}


def test_an_operator_tries_a_failed_task_again(oscar, failed):
    try_again(oscar, failed)

    failed.refresh_from_db()
    assert (failed.status, failed.worker_ids) == ("READY", [])
    event = AuditEvent.objects.get(action="tasks_retried")
    assert (event.actor, event.details) == ("oscar", {"tasks": 1})


def test_an_auditor_does_not(uma, failed):
    try_again(uma, failed)

    failed.refresh_from_db()
    assert failed.status == "FAILED"


def test_trying_what_has_not_failed_changes_nothing(oscar, failed):
    DBTaskResult.objects.update(status="RUNNING")

    try_again(oscar, failed)

    failed.refresh_from_db()
    assert failed.status == "RUNNING"
    assert not AuditEvent.objects.filter(action="tasks_retried").exists()


def test_tasks_are_neither_added_nor_deleted_nor_changed_by_hand(oscar, failed):
    add = oscar.get(pages.about(DBTaskResult, "add"))
    delete = oscar.post(pages.of(failed, "delete"), post="yes")
    change = oscar.post(pages.of(failed), status="READY")

    assert [each.status_code for each in (add, delete, change)] == [403, 403, 403]


def test_a_list_of_tasks_costs_the_same_however_long(
    oscar, failed, django_assert_max_num_queries
):
    address = pages.about(DBTaskResult)
    oscar.get(address)
    for _ in range(9):
        tasks.break_down.enqueue("no")

    with django_assert_max_num_queries(7):
        oscar.get(address)
