"""An event by itself that begins to repeat at the desk: its dates are seen before."""

import pytest

from calendar_events.models import Event, Series, Status
from calendar_events.tests.admin.test_copying import typed
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.admin.test_series_desk import form_of, send
from calendar_events.tests.admin.test_series_removal import at_once
from calendar_events.tests.callers import caller
from calendar_events.tests.series import yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WEEKLY = "FREQ=WEEKLY;COUNT=3"


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


@pytest.fixture
def choir(editor):
    """An event on a Monday that does not repeat, of the editor."""
    interface = caller("editor", user=editor.user)
    assert interface.post("/events", yoga(rrule="")).status_code == 201
    return Event.objects.get()


def again(client, event, sent):
    return client.post(url(Event, "change", event.pk), sent)


def test_an_event_begins_to_repeat_once_its_dates_were_seen(editor, choir):
    answer, seen = send(editor, choir, rrule=WEEKLY, exdate="2031-01-13")
    text = answer.content.decode()

    assert "The event will take place on 2 dates. Save once more to do so." in text
    assert "<li>Mon 06 Jan 2031, 18:00</li><li>Mon 20 Jan 2031, 18:00: new</li>" in text
    assert (Event.objects.count(), Series.objects.count()) == (1, 0)

    assert again(editor, choir, seen).status_code == 302
    first, second = Event.objects.order_by("position")
    assert (first.pk, first.slug) == (choir.pk, choir.slug)
    assert f"{second.start_local:%Y-%m-%d %H:%M}" == "2031-01-20 18:00"
    assert first.series.rule == WEEKLY
    assert first.history.latest().history_user == editor.user
    assert second.history.latest().history_user == editor.user


def test_an_event_gets_extra_dates_without_a_rule(editor, choir):
    _, seen = send(editor, choir, rdate="2031-01-08\n2031-01-10 09:00")
    again(editor, choir, seen)

    days = [f"{row.start_local:%d %H}" for row in Event.objects.order_by("position")]
    assert days == ["06 18", "08 18", "10 09"]


def test_what_else_was_typed_is_said_by_every_date(editor, choir):
    _, seen = send(editor, choir, rrule=WEEKLY, title="Choir", cost="5")
    again(editor, choir, seen)

    assert set(Event.objects.values_list("title", "cost")) == {("Choir", "5")}
    assert Event.objects.count() == 3


def test_an_edit_that_does_not_repeat_is_saved_at_once(editor, choir):
    answer, _ = send(editor, choir, title="Choir")

    assert answer.status_code == 302
    assert Event.objects.get().series is None


def test_dates_that_were_not_seen_are_shown_again(editor, choir):
    _, seen = send(editor, choir, rrule=WEEKLY)
    answer = again(editor, choir, seen | {"rrule": "FREQ=DAILY;COUNT=9"})

    assert "take place on 9 dates" in answer.content.decode()
    assert Event.objects.count() == 1


def test_a_proof_that_was_made_up_shows_the_dates_all_the_same(editor, choir):
    answer, _ = send(editor, choir, rrule=WEEKLY, confirmed="0" * 64)

    assert answer.status_code == 200
    assert Event.objects.count() == 1


def test_of_many_dates_the_first_are_listed(editor, choir):
    text = send(editor, choir, rrule="FREQ=DAILY;COUNT=50")[0].content.decode()

    assert "take place on 50 dates" in text
    assert "<li>and 30 more</li>" in text


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("rrule", "FREQ=DAILY;COUNT=9999", "This must have COUNT from 1 to 2000."),
        ("rrule", "FREQ=SECONDLY", "This needs FREQ, which is DAILY"),
        ("rrule", "WEEKLY", "This has a part that is not known: WEEKLY."),
        ("rrule", "FREQ=WEEKLY;BYDAY=TU", "This does not give the start"),
        ("rdate", "2030-12-30", "This must not be before start_date."),
        ("rdate", "nonsense", "This is not a date."),
        ("exdate", "2031-01-13", "This needs a rule, or a date besides start_date."),
    ],
)
def test_what_makes_no_series_is_refused_beside_its_field(
    editor, choir, field, text, sentence
):
    answer, _ = send(editor, choir, **{field: text})

    (reason,) = answer.context["adminform"].form.errors[field]
    assert reason.startswith(sentence)
    assert Series.objects.count() == 0


def test_the_event_itself_is_not_left_out(editor, choir):
    answer, _ = send(editor, choir, rrule=WEEKLY, exdate="2031-01-06")

    errors = answer.context["adminform"].form.errors
    assert errors == {"exdate": ["This must not leave out the event itself."]}


def test_who_presses_twice_makes_one_series(editor, choir):
    _, seen = send(editor, choir, rrule=WEEKLY)
    again(editor, choir, seen)
    answer = again(editor, choir, seen)

    assert "Somebody changed this record" in answer.content.decode()
    assert (Event.objects.count(), Series.objects.count()) == (3, 1)


@pytest.mark.django_db(transaction=True)
def test_who_presses_twice_at_once_makes_one_series(editor, choir):
    _, seen = send(editor, choir, rrule=WEEKLY)
    answers = at_once(editor, url(Event, "change", choir.pk), seen)

    assert set(answers) <= {200, 302}
    assert (Event.objects.count(), Series.objects.count()) == (3, 1)


def test_an_event_that_somebody_else_changed_does_not_begin(editor, choir):
    _, seen = send(editor, choir, rrule=WEEKLY)
    caller("editor").patch(f"/events/{choir.pk}", {"title": "Choir"})
    answer = again(editor, choir, seen)

    assert "Somebody changed this record" in answer.content.decode()
    assert Event.objects.count() == 1


def test_a_copy_does_not_repeat(editor, choir):
    sent = typed(form_of(editor, choir).context["adminform"].form)
    again(editor, choir, sent | {"rrule": WEEKLY, "_saveasnew": "1"})

    assert Event.objects.count() == 2
    assert Series.objects.count() == 0


# --- Who may ------------------------------------------------------------------------------


def test_a_contributor_lets_a_draft_repeat():
    contributor = desk_of(roles=["contributor"])
    caller("contributor", user=contributor.user).post("/events", yoga(rrule=""))
    event = Event.objects.get()
    _, seen = send(contributor, event, rrule=WEEKLY)

    assert again(contributor, event, seen).status_code == 302
    assert set(Event.objects.values_list("status", flat=True)) == {Status.DRAFT}
    assert Event.objects.count() == 3


def test_who_may_not_create_events_lets_none_repeat(editor, choir):
    group = editor.user.groups.get()
    group.permissions.remove(group.permissions.get(codename="add_event"))
    answer, _ = send(editor, choir, rrule=WEEKLY)

    assert "You may not create events." in answer.content.decode()
    assert Event.objects.count() == 1


@pytest.mark.parametrize("role", ["contributor", "author"])
def test_what_is_somebody_else_s_does_not_begin(editor, choir, role):
    sent = typed(form_of(editor, choir).context["adminform"].form)
    other = desk_of(roles=[role])

    assert again(other, choir, sent | {"rrule": WEEKLY}).status_code in {302, 403}
    assert Event.objects.count() == 1
