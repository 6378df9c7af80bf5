"""Deleting dates of a series at the editor's desk: which go is chosen, and seen before."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.messages import get_messages
from django.db import connections
from django.test import Client

from calendar_events.models import Event, Series, Status
from calendar_events.tests.admin.test_desk import act, desk_of, url
from calendar_events.tests.admin.test_series_desk import send
from calendar_events.tests.callers import caller
from calendar_events.tests.factories import EventFactory, VenueFactory
from calendar_events.tests.series import yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

CHANGED = "Somebody changed this record while you were editing it."


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def asked(client, event):
    """Return the page that asks before an event is deleted."""
    page = client.get(url(Event, "delete", event.pk))
    assert page.status_code == 200
    return page


def sent_of(page, **changed):
    """Return what a browser sends of the page that asks."""
    form = page.context["removal"]
    sent = {name: form[name].value() for name in ("seen_version", "seen_sequence")}
    return sent | {"post": "yes", "scope": "this"} | changed


def offered(page):
    return {each.scope: len(each.dates) for each in page.context["choices"]}


def delete(client, event, **changed):
    sent = sent_of(asked(client, event), **changed)
    return client.post(url(Event, "delete", event.pk), sent)


def days():
    rows = Event.objects.exclude(status=Status.TRASH).order_by("start_utc")
    return [f"{row.start_local:%m-%d}" for row in rows]


def said(answer):
    return [str(each) for each in get_messages(answer.wsgi_request)]


def test_the_page_lists_the_dates_that_go(editor, made):
    page = asked(editor, made[2])
    text = " ".join(page.content.decode().split())

    assert offered(page) == {"this": 1, "following": 3, "all": 5}
    assert "this date and all that follow: 3" in text
    assert text.count("<li>Mon 20 Jan 2031, 18:00</li>") == 3
    assert text.count("<li>Mon 06 Jan 2031, 18:00</li>") == 1
    assert Event.objects.count() == 5


def test_a_date_that_is_in_the_trash_goes_too(editor, made):
    caller("editor").delete(f"/events/{made[3].pk}")
    page = asked(editor, made[2])

    assert "<li>Mon 27 Jan 2031, 18:00 (in the trash)</li>" in page.content.decode()
    assert offered(page) == {"this": 1, "following": 3, "all": 5}


def test_of_many_dates_the_first_are_listed(editor):
    caller("editor").post("/events", yoga(rrule="FREQ=DAILY;COUNT=30"))
    text = asked(editor, Event.objects.get(position=1)).content.decode()

    assert text.count("<li>and 10 more</li>") == 2


def test_an_event_by_itself_is_asked_about_as_any_record(editor):
    event = EventFactory()

    assert 'name="scope"' not in asked(editor, event).content.decode()
    assert editor.post(url(Event, "delete", event.pk), {"post": "yes"}).status_code == 302
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("scope", "left", "words"),
    [
        ("this", ["01-06", "01-13", "01-27", "02-03"], []),
        ("following", ["01-06", "01-13"], ["Dates of the series that were deleted: 3."]),
        ("all", [], ["Dates of the series that were deleted: 5."]),
    ],
)
def test_the_chosen_dates_are_deleted_for_good(editor, made, scope, left, words):
    answer = delete(editor, made[2], scope=scope)

    assert answer.status_code == 302
    assert said(answer)[:-1] == words
    assert days() == left
    assert Event.objects.count() == len(left)
    assert Series.objects.count() == bool(left)
    assert {state.history_user for state in Event.history.filter(history_type="-")} == {
        editor.user
    }


def test_the_series_ends_before_what_was_deleted(editor, made):
    delete(editor, made[2], scope="following")

    series = Series.objects.get()
    assert (series.rule, series.total) == ("FREQ=WEEKLY;UNTIL=20310119", 2)


def test_what_follows_goes_to_the_trash_by_its_status(editor, made):
    answer, again = send(editor, made[2], status="trash", scope="following")
    text = answer.content.decode()
    assert text.count("goes to the trash") == 3
    assert days() == ["01-06", "01-13", "01-20", "01-27", "02-03"]

    editor.post(url(Event, "change", made[2].pk), again)

    assert days() == ["01-06", "01-13"]
    assert Event.objects.filter(status=Status.TRASH).count() == 3


# --- Who else was there -------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["this", "following", "all"])
def test_a_date_that_was_changed_meanwhile_stays(editor, made, scope):
    sent = sent_of(asked(editor, made[2]), scope=scope)
    caller("editor").patch(f"/events/{made[2].pk}", {"title": "Outside"})
    answer = editor.post(url(Event, "delete", made[2].pk), sent)

    assert answer.url == url(Event, "delete", made[2].pk)
    assert said(answer)[0].startswith(CHANGED)
    assert Event.objects.count() == 5


@pytest.mark.parametrize(("scope", "left"), [("this", 4), ("following", 5), ("all", 5)])
def test_another_date_of_the_series_is_seen_as_it_was(editor, made, scope, left):
    sent = sent_of(asked(editor, made[2]), scope=scope)
    caller("editor").patch(f"/events/{made[4].pk}", {"title": "Outside"})
    editor.post(url(Event, "delete", made[2].pk), sent)

    assert Event.objects.count() == left


def test_a_series_that_is_deleted_twice_is_deleted_once(editor, made):
    sent = sent_of(asked(editor, made[2]), scope="following")
    page = url(Event, "delete", made[2].pk)
    assert editor.post(page, sent).status_code == 302
    again = editor.post(page, sent)

    assert again.status_code == 302
    assert "Perhaps it was deleted" in said(again)[-1]
    assert Event.objects.count() == 2


def at_once(client, page, sent):
    """Send a form three times at the same moment; return the statuses."""
    gate = threading.Barrier(3)

    def press(_):
        tab = Client()
        tab.force_login(client.user)
        gate.wait()
        try:
            return tab.post(page, sent).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(press, range(3)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("scope", "left"), [("this", 4), ("following", 2)])
def test_who_presses_twice_at_once_is_told_so(editor, made, scope, left):
    sent = sent_of(asked(editor, made[2]), scope=scope)
    answers = at_once(editor, url(Event, "delete", made[2].pk), sent)

    assert answers == [302, 302, 302]
    assert Event.objects.count() == left


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("factory", [EventFactory, VenueFactory])
@pytest.mark.parametrize("way", ["page", "list"])
def test_a_record_that_is_deleted_twice_at_once_is_gone(editor, factory, way):
    record = factory()
    model, sent = type(record), {"post": "yes"}
    page = url(model, "delete", record.pk)
    if way == "list":
        page = url(model, "changelist")
        sent |= {"action": "delete_selected", "_selected_action": [record.pk]}

    assert set(at_once(editor, page, sent)) <= {200, 302}
    assert not model.objects.exists()


def test_an_event_that_began_to_repeat_meanwhile_stays(editor):
    event = EventFactory()
    asked(editor, event)
    answer = caller("editor").patch(f"/events/{event.pk}", {"rrule": "FREQ=DAILY;COUNT=3"})
    assert answer.status_code == 200, answer.content
    answer = editor.post(url(Event, "delete", event.pk), {"post": "yes"})

    assert said(answer)[0].startswith(CHANGED)
    assert Event.objects.count() == 3


def test_an_event_that_left_its_series_meanwhile_stays(editor, made):
    sent = sent_of(asked(editor, made[0]), scope="all")
    caller("editor").patch(f"/events/{made[0].pk}?scope=all", {"rrule": ""})
    answer = editor.post(url(Event, "delete", made[0].pk), sent)

    assert said(answer)[0].startswith(CHANGED)
    assert Event.objects.filter(pk=made[0].pk).exists()


# --- Who may ------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["everything", "", "this following"])
def test_an_unknown_choice_deletes_nothing(editor, made, scope):
    answer = delete(editor, made[2], scope=scope)

    assert answer.url == url(Event, "delete", made[2].pk)
    assert Event.objects.count() == 5


@pytest.mark.parametrize("number", ["", "x", "9" * 30, "-1"])
@pytest.mark.parametrize("name", ["seen_version", "seen_sequence"])
def test_a_state_that_nobody_saw_deletes_nothing(editor, made, name, number):
    delete(editor, made[2], **{"scope": "all", name: number})

    assert Event.objects.count() == 5


@pytest.fixture
def own():
    """A contributor at the desk, with a series of theirs whose first date is public."""
    contributor = desk_of(roles=["contributor"])
    interface = caller("contributor", user=contributor.user)
    assert interface.post("/events", yoga()).status_code == 201
    first, *others = Event.objects.order_by("position")
    caller("editor").patch(f"/events/{first.pk}", {"status": "publish"})
    return contributor, first, others


def test_only_the_dates_that_somebody_may_delete_are_offered(own):
    contributor, _, others = own

    assert offered(asked(contributor, others[1])) == {"this": 1}


@pytest.mark.parametrize("scope", ["following", "all"])
def test_a_choice_that_is_not_offered_is_refused(own, scope):
    contributor, _, others = own

    assert delete(contributor, others[1], scope=scope).status_code == 403
    assert Event.objects.count() == 5


def test_a_contributor_deletes_what_is_theirs(own):
    contributor, first, others = own
    assert delete(contributor, others[1]).status_code == 302
    caller("editor").patch(f"/events/{first.pk}", {"status": "draft"})

    assert delete(contributor, others[2], scope="following").status_code == 302
    assert days() == ["01-06", "01-13"]


# --- From the list ------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["move_to_trash", "delete_selected"])
def test_from_the_list_one_date_goes_by_itself(editor, made, action):
    page = url(Event, "changelist")
    sent = {"action": action, "_selected_action": [made[2].pk], "post": "yes"}
    sent |= sent_of(asked(editor, made[2]), scope="all")

    assert editor.post(page, sent).status_code == 302
    assert days() == ["01-06", "01-13", "01-27", "02-03"]
    assert Series.objects.get().exdates == ["2031-01-20 18:00:00"]


def test_all_dates_of_a_series_may_be_selected_in_the_list(editor, made):
    act(editor, "move_to_trash", *made)
    assert days() == []
    page = url(Event, "changelist")
    selected = [event.pk for event in made]
    sent = {"action": "delete_selected", "_selected_action": selected, "post": "yes"}
    editor.post(page, sent)

    assert not Event.objects.exists()
    assert not Series.objects.exists()
    assert Event.history.filter(history_type="-").count() == 5


# --- What it costs ------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 20])
def test_asking_costs_the_same_however_many_dates_there_are(
    editor, count, django_assert_num_queries
):
    caller("editor").post("/events", yoga(rrule=f"FREQ=DAILY;COUNT={count}"))
    event = Event.objects.get(position=1)
    asked(editor, event)

    # Session, user, two of permissions; the event, three of links, series, its dates.
    with django_assert_num_queries(10):
        asked(editor, event)
