"""Deletion of many rows: agreed to by number, done in the background, by the rules."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import IntegrityError
from django_tasks_db.models import DBTaskResult

from authserver.jobs import running
from authserver.models import AuditEvent, Institution, Job, LoginFailure, User
from authserver.tests import factories
from calendar_events.models import Event, Image, Venue
from calendar_events.permissions import Actor
from calendar_events.services import removal
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from config.tests.administration.exports import only
from platform_errors.admin import bulk, deletion

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_pages_are_short")]

ACTION = "delete_selected"


@pytest.fixture
def editor(staff, here):
    return staff("editor", at=here.institution)


@pytest.fixture
def drafts(here):
    """Five drafts of one institution, besides its draft and its event."""
    of = {"institution": "1001", "author": here.person, "status": "draft"}
    return calendar.EventFactory.create_batch(5, **of)


def ask(someone, model, count, **fields):
    """Choose deletion for all rows of a list, and agree to so many."""
    return pages.act(someone, model, ACTION, confirmed_count=str(count), **fields)


def of(institution):
    return Event.objects.filter(institution=institution).count()


def test_a_page_of_rows_is_deleted_at_once_as_before(editor, here):
    asked = pages.act(editor, Event, ACTION)
    pages.act(editor, Event, ACTION, post="yes")

    assert "Are you sure" in asked.content.decode()
    assert not Job.objects.exists()
    assert of("1001") == 0


def test_more_are_asked_about_by_their_number_and_then_deleted_in_the_background(
    editor, here, there, drafts, work
):
    asked = pages.act(editor, Event, ACTION)
    nothing_yet = (Job.objects.exists(), of("1001"))
    answer = ask(editor, Event, 7)
    before = of("1001")
    message = editor.get(answer["Location"]).content.decode()
    work()

    assert "Delete 7 events?" in asked.content.decode()
    assert 'name="confirmed_count" value="7"' in asked.content.decode()
    assert nothing_yet == (False, 7)
    assert before == 7
    assert pages.of(only()) in message
    assert (of("1001"), of("1002")) == (0, 2)
    assert (only().title, only().done, only().left) == ("Delete selected events", 7, {})


def test_django_s_own_yes_is_no_agreement_to_a_number(editor, drafts):
    answer = pages.act(editor, Event, ACTION, post="yes")

    assert answer.status_code == 200
    assert not Job.objects.exists()
    assert of("1001") == 7


@pytest.mark.parametrize("count", ["6", "8", "7.0", "x"])
def test_another_number_than_was_agreed_to_is_asked_about_again(editor, drafts, count):
    answer = ask(editor, Event, count)

    page = answer.content.decode()
    assert "The list has changed in the meantime" in page
    assert "Delete 7 events?" in page
    assert not Job.objects.exists()


def test_the_history_and_the_log_say_who_deleted(editor, drafts, work):
    ask(editor, Event, 7)

    work()

    last = Event.history.filter(id=drafts[0].pk).first()
    assert (last.history_type, last.history_user) == ("-", editor.user)
    assert editor.user.logentry_set.count() == 7


def test_what_came_after_the_click_stays(editor, here, drafts, work):
    ask(editor, Event, 7)
    late = calendar.EventFactory(institution="1001", author=here.person)

    work()

    assert list(Event.objects.filter(institution="1001")) == [late]


def test_rows_of_another_institution_are_never_deleted(editor, drafts, there, work):
    ask(editor, Event, 7)
    Job.objects.update(rows=[*only().rows, there.draft.pk, there.event.pk], total=9)

    work()

    assert (of("1001"), of("1002")) == (0, 2)
    assert (only().position, only().done) == (9, 7)


def test_an_author_deletes_their_own_and_is_told_how_many_stayed(staff, here, work):
    author = staff("author", at=here.institution)
    for status in ("draft", "draft", "publish"):
        calendar.EventFactory(institution="1001", author=author.user, status=status)
    calendar.EventFactory(institution="1001", author=here.person)

    ask(author, Event, 5)
    work()

    assert set(
        Event.objects.filter(institution="1001").values_list("author", flat=True)
    ) == {here.person.pk}
    assert (only().done, only().left) == (3, {deletion.NOT_ALLOWED: 2})
    assert f"{deletion.NOT_ALLOWED}: 2." in author.get(pages.of(only())).content.decode()


@pytest.mark.parametrize("role", ["", "reader", "contributor"])
def test_a_right_that_was_taken_away_meanwhile_counts(editor, drafts, work, role):
    ask(editor, Event, 7)
    running._do_portion(only().pk)
    editor.user.groups.set(Group.objects.filter(name=role))

    work()

    assert of("1001") == 5
    # A contributor deletes own drafts, of which there are none.
    assert only().error == ("" if role == "contributor" else running.NO_RIGHT)


def test_who_moved_to_another_institution_deletes_nothing_at_either(
    editor, there, drafts, work
):
    ask(editor, Event, 7)
    User.objects.filter(pk=editor.user.pk).update(institution=there.institution)

    work()

    assert (of("1001"), of("1002")) == (7, 2)
    assert only().error == running.NO_RIGHT


def test_a_picture_that_is_shown_stays_and_the_others_go(editor, here, work):
    shown = calendar.ImageFactory(institution="1001", author=here.person)
    calendar.VenueFactory(institution="1001", author=here.person, image=shown)
    calendar.ImageFactory.create_batch(3, institution="1001", author=here.person)

    ask(editor, Image, 5)
    work()

    assert list(Image.objects.filter(institution="1001")) == [shown]
    assert (only().done, only().left) == (4, {deletion.NEEDED: 1})


def test_institutions_that_are_in_use_stay_and_each_end_is_audited(
    staff, here, there, work
):
    root = staff(is_superuser=True)
    free = factories.InstitutionFactory.create_batch(3)

    ask(root, Institution, Institution.objects.count())
    work()

    assert set(Institution.objects.all()) == {here.institution, there.institution}
    ended = AuditEvent.objects.filter(action=AuditEvent.Action.INSTITUTION_CHANGED)
    assert {each.registry_id for each in ended} == {each.registry_id for each in free}
    assert {each.actor for each in ended} == {root.user.login}


def test_locks_of_accounts_with_more_rights_stay(ines, here, there, work):
    User.objects.filter(pk=here.person.pk).update(is_staff=True)
    here.person.user_permissions.set(Permission.objects.all()[:3])
    logins = [here.person.login, *(f"someone{number}@1001" for number in range(4))]
    for login in [*logins, there.person.login]:
        factories.LoginFailureFactory(account=login)

    ask(ines, LoginFailure, 5)
    work()

    left = set(LoginFailure.objects.values_list("account", flat=True))
    assert left == {here.person.login, there.person.login}
    assert only().left == {deletion.NOT_ALLOWED: 1}


def test_what_another_row_comes_to_need_while_it_is_deleted_stays(
    editor, drafts, work, monkeypatch
):
    delete = removal.delete_record

    def needed_by_then(model, *, pk, **options):
        if pk == drafts[0].pk:
            raise IntegrityError("somebody was faster")
        delete(model, pk=pk, **options)

    monkeypatch.setattr("calendar_events.services.records.delete_record", needed_by_then)
    ask(editor, Event, 7)
    work()

    assert list(Event.objects.filter(institution="1001")) == [drafts[0]]
    assert only().left == {deletion.NEEDED: 1}


def test_what_is_gone_by_then_is_passed_over(editor, drafts, work):
    ask(editor, Event, 7)
    actor = Actor(user=editor.user, institution="1001")
    removal.delete_record(Event, actor=actor, pk=drafts[0].pk)

    work()

    assert (of("1001"), only().done, only().passed_over) == (0, 6, 1)


def test_a_worker_that_dies_in_the_middle_is_followed_by_one_that_goes_on(
    editor, drafts, work, monkeypatch
):
    ask(editor, Event, 7)
    running._do_portion(only().pk)
    with monkeypatch.context() as dying:
        dying.setattr(Job, "save", lambda *args, **kwargs: 1 / 0)
        work()
    half = (of("1001"), only().position)
    DBTaskResult.objects.update(status="READY")
    running.work_on_job.enqueue(only().pk)  # and once more
    work()

    assert half == (5, 2)
    assert (of("1001"), only().done, only().error) == (0, 7, "")
    assert editor.user.logentry_set.count() == 7


def test_more_rows_than_a_job_may_have_are_refused_at_the_first_click(
    editor, drafts, monkeypatch
):
    monkeypatch.setattr(bulk, "MOST_ROWS", 4)

    answer = pages.act(editor, Event, ACTION)

    assert "select at most 4 rows" in editor.get(answer["Location"]).content.decode()
    assert not Job.objects.exists()


def test_without_anybody_who_takes_over_django_asks_about_all(editor, drafts, settings):
    settings.PLATFORM_ERRORS = {**settings.PLATFORM_ERRORS, "JOBS": ""}

    asked = pages.act(editor, Event, ACTION)
    pages.act(editor, Event, ACTION, post="yes")

    assert "Are you sure" in asked.content.decode()
    assert of("1001") == 0


def test_venues_go_without_the_events_that_named_them(editor, here, work):
    calendar.VenueFactory.create_batch(4, institution="1001", author=here.person)
    event = calendar.EventFactory(
        institution="1001", author=here.person, venues=[here.venue]
    )

    ask(editor, Venue, 5)
    work()

    assert not Venue.objects.filter(institution="1001").exists()
    assert list(Event.objects.get(pk=event.pk).venues.all()) == []


def test_the_page_that_asks_costs_the_same_however_many_rows(
    editor, here, drafts, django_assert_max_num_queries
):
    calendar.EventFactory.create_batch(30, institution="1001", author=here.person)

    with django_assert_max_num_queries(15):
        pages.act(editor, Event, ACTION)
