"""Events that repeat at the editor's desk: whom a change is for, seen before it is made."""

import pytest

from calendar_events.admin.events import EventAdmin
from calendar_events.admin.forms import CHANGED_MEANWHILE
from calendar_events.models import Event, Series, Status
from calendar_events.tests.admin.test_copying import typed
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.callers import caller
from calendar_events.tests.factories import EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def form_of(client, event):
    page = client.get(url(Event, "change", event.pk))
    assert page.status_code == 200
    return page


def send(client, event, **changed):
    """Send the form of an event; return the answer, and what it shows to be sent again."""
    sent = typed(form_of(client, event).context["adminform"].form) | changed
    answer = client.post(url(Event, "change", event.pk), sent)
    if answer.status_code == 302:
        return answer, {}
    return answer, typed(answer.context["adminform"].form)


def titles():
    rows = Event.objects.exclude(status=Status.TRASH).order_by("original_start_local")
    return list(rows.values_list("title", flat=True))


def test_an_occurrence_shows_its_series(editor, made):
    text = form_of(editor, made[1]).content.decode()

    assert "date 2 of 5 of a series: Every week, 5 times." in text
    others = f"{url(Event, 'changelist')}?series={made[1].series_id}"
    assert others in text
    assert editor.get(others).context["cl"].result_count == 5
    assert editor.get(f"{url(Event, 'changelist')}?series=x").status_code == 302


def test_an_event_by_itself_does_not_ask_whom_a_change_is_for(editor):
    text = form_of(editor, EventFactory()).content.decode()

    assert 'name="scope"' not in text


def test_an_edit_is_of_this_date_unless_another_is_chosen(editor, made):
    answer, _ = send(editor, made[1], title="Outside")

    assert answer.status_code == 302
    assert titles() == ["Yoga", "Outside", "Yoga", "Yoga", "Yoga"]
    assert Event.objects.get(pk=made[1].pk).overridden == "title"


def test_more_than_one_date_is_shown_before_it_is_changed(editor, made):
    changed = {
        "start_date": "2031-01-20 19:00:00",
        "end_date": "2031-01-20 20:30:00",
        "scope": "following",
    }
    answer, again = send(editor, made[2], **changed)

    text = answer.content.decode()
    assert "This changes 3 dates. Save once more to do so." in text
    assert "Please correct" not in text
    assert "Mon 20 Jan 2031, 18:00 becomes Mon 20 Jan 2031, 19:00" in text
    assert Series.objects.count() == 1
    assert Event.objects.get(pk=made[2].pk).start_local.hour == 18

    assert editor.post(url(Event, "change", made[2].pk), again).status_code == 302
    hours = [row.start_local.hour for row in Event.objects.order_by("start_utc")]
    assert hours == [18, 18, 19, 19, 19]
    assert Series.objects.count() == 2


def test_what_the_form_only_showed_is_no_change_of_the_others(editor, made):
    send(editor, made[1], title="Outside")
    _, again = send(editor, made[1], cost="5", scope="all")
    editor.post(url(Event, "change", made[1].pk), again)

    assert titles() == ["Yoga", "Outside", "Yoga", "Yoga", "Yoga"]
    assert set(Event.objects.values_list("cost", flat=True)) == {"5"}


def test_what_was_not_seen_is_shown_again(editor, made):
    _, again = send(editor, made[0], title="Pilates", scope="all")
    answer = editor.post(url(Event, "change", made[0].pk), again | {"title": "Chi"})

    assert answer.status_code == 200
    assert "Save once more" in answer.content.decode()
    assert set(titles()) == {"Yoga"}


def test_a_series_that_changes_while_it_is_saved_is_left(editor, made, monkeypatch):
    _, again = send(editor, made[1], title="Stretching", scope="all")
    update = EventAdmin.update

    def be_slower(self, **written):
        caller("editor").patch(f"/events/{made[4].pk}", {"title": "Outside"})
        return update(self, **written)

    monkeypatch.setattr(EventAdmin, "update", be_slower)
    answer = editor.post(url(Event, "change", made[1].pk), again, follow=True)

    assert CHANGED_MEANWHILE in answer.content.decode()
    assert "Stretching" not in titles()


def test_a_bad_rule_is_said_beside_its_field(editor, made):
    answer, _ = send(editor, made[0], rrule="FREQ=DAILY;COUNT=9999", scope="all")

    assert "rrule" in answer.context["adminform"].form.errors
    answer, _ = send(editor, made[0], rrule="FREQ=DAILY;COUNT=2")
    assert "rrule" in answer.context["adminform"].form.errors


def test_a_series_goes_to_the_trash_at_the_desk(editor, made):
    answer, again = send(editor, made[0], status="trash", scope="all")
    assert "goes to the trash" in answer.content.decode()
    editor.post(url(Event, "change", made[0].pk), again)

    assert titles() == []


def test_a_new_event_may_repeat(editor):
    sent = {
        "title": "Choir",
        "start_date": "2031-01-06 20:00:00",
        "end_date": "2031-01-06 21:00:00",
        "status": "publish",
        "rrule": "FREQ=WEEKLY;COUNT=3",
        "institution": "1001",
    }
    answer = editor.post(url(Event, "add"), sent)

    assert answer.status_code == 302, answer.context["adminform"].form.errors
    assert Event.objects.count() == 3


def test_a_copy_of_an_occurrence_is_an_event_by_itself(editor, made):
    sent = typed(form_of(editor, made[1]).context["adminform"].form)
    editor.post(url(Event, "change", made[1].pk), sent | {"_saveasnew": "1"})

    copy = Event.objects.latest("pk")
    assert (copy.series_id, copy.status) == (None, Status.DRAFT)
    assert Event.objects.count() == 6


def test_an_author_may_not_change_what_is_somebody_else_s(made):
    author = desk_of(roles=["author"])
    assert author.post(url(Event, "change", made[0].pk), {"scope": "all"}).status_code in {
        302,
        403,
    }
    assert set(titles()) == {"Yoga"}
