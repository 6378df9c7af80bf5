"""Extra and left-out dates in the form of what repeats."""

from datetime import date, timedelta

import pytest

from calendar_events.models import Event, Series, Status
from calendar_events.tests.admin.test_copying import typed
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.admin.test_series_desk import form_of, send
from calendar_events.tests.callers import caller
from calendar_events.tests.series import yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NO_DATE = "This is not a date. Use YYYY-MM-DD"
OTHER_SCOPE = "This can only be changed with scope=following or scope=all."


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


@pytest.fixture
def make():
    """Make a series through the interface; return its dates."""

    def make(**changes):
        answer = caller("editor").post("/events", yoga(**changes))
        assert answer.status_code == 201, answer.content
        return list(Event.objects.order_by("position"))

    return make


def fields(client, event):
    sent = typed(form_of(client, event).context["adminform"].form)
    return [sent.get(name, "") for name in ("rdate", "exdate")]


def twice(client, event, **changed):
    """Send the form, and once more what it shows then; return the first answer."""
    first, again = send(client, event, **changed)
    assert first.status_code == 200
    assert first.context["adminform"].form.non_field_errors(), first.context["errors"]
    answer = client.post(url(Event, "change", event.pk), again)
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    return first.content.decode()


def refused(client, event, **changed):
    """Return what is said beside the fields."""
    answer, _ = send(client, event, **changed)
    assert answer.status_code == 200
    errors = answer.context["adminform"].form.errors
    return {name: reasons[0] for name, reasons in errors.items()}


def dates():
    rows = Event.objects.exclude(status=Status.TRASH).order_by("start_utc")
    return [f"{row.start_local:%m-%d %H}" for row in rows]


def test_single_dates_are_shown_as_days_where_the_time_is_the_usual_one(editor, make):
    made = make(rdate="2031-01-08,2031-01-09 10:00", exdate="2031-01-13")

    assert fields(editor, made[0]) == ["2031-01-08\n2031-01-09 10:00:00", "2031-01-13"]


def test_a_date_is_left_out_once_it_was_seen_and_comes_back(editor, make):
    made = make()
    text = twice(editor, made[0], exdate="2031-01-20", scope="all")

    assert "Mon 20 Jan 2031, 18:00: goes to the trash" in text
    assert dates() == ["01-06 18", "01-13 18", "01-27 18", "02-03 18"]
    assert fields(editor, made[0]) == ["", "2031-01-20"]

    text = twice(editor, made[0], exdate="", scope="all")

    assert "Mon 20 Jan 2031, 18:00: new" in text
    assert Event.objects.get(pk=made[2].pk).status == Status.PUBLISH
    assert Event.objects.count() == 5


def test_extra_dates_are_added_once_they_were_seen(editor, make):
    made = make()
    extra = " 2031-01-08\r\n\r\n2031-01-09 10:00, 2031-01-06"
    text = twice(editor, made[0], rdate=extra, scope="all")

    assert "Wed 08 Jan 2031, 18:00: new" in text
    assert dates()[:4] == ["01-06 18", "01-08 18", "01-09 10", "01-13 18"]
    assert Event.objects.count() == 7


def test_single_dates_before_this_one_are_no_matter_of_what_follows(editor, make):
    made = make(rdate="2031-01-08", exdate="2031-01-13")
    third = Event.objects.get(original_start_local="2031-01-20 18:00")
    both = {"rdate": "2031-01-08\n2031-01-22", "exdate": "2031-01-13\n2031-01-27"}
    twice(editor, third, **both, scope="following")

    assert dates() == ["01-06 18", "01-08 18", "01-20 18", "01-22 18", "02-03 18"]
    assert fields(editor, made[0]) == ["2031-01-08", "2031-01-13"]
    assert fields(editor, third) == ["2031-01-22", "2031-01-27"]


def test_single_dates_move_with_the_others(editor, make):
    made = make(rdate="2031-01-08", exdate="2031-01-13")
    later = {"start_date": "2031-01-06 19:00:00", "end_date": "2031-01-06 20:30:00"}
    twice(editor, made[0], **later, scope="all")

    assert dates() == ["01-06 19", "01-08 19", "01-20 19", "01-27 19", "02-03 19"]
    twice(editor, made[0], start_date="2031-01-06 18:30:00", exdate="", scope="all")
    assert Event.objects.exclude(status=Status.TRASH).count() == 6


def test_a_new_event_has_extra_and_left_out_dates(editor):
    sent = {
        "title": "Choir",
        "status": "publish",
        "institution": "1001",
        "start_date": "2031-01-06 20:00:00",
        "end_date": "2031-01-06 21:00:00",
        "rrule": "FREQ=WEEKLY;COUNT=3",
        "rdate": "2031-01-08",
        "exdate": "2031-01-13",
    }
    answer = editor.post(url(Event, "add"), sent)

    assert answer.status_code == 302, answer.context["adminform"].form.errors
    assert dates() == ["01-06 20", "01-08 20", "01-20 20"]


def test_a_copy_has_no_single_dates(editor, make):
    made = make(rdate="2031-01-08", exdate="2031-01-13")
    sent = typed(form_of(editor, made[0]).context["adminform"].form)
    editor.post(url(Event, "change", made[0].pk), sent | {"_saveasnew": "1"})

    assert Event.objects.latest("pk").series is None
    assert Series.objects.count() == 1


# --- Refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["following", "all"])
@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("exdate", "2031-01-14", "This has 2031-01-14 18:00:00, which is no date"),
        ("exdate", "2031-01-13\nnonsense", NO_DATE),
        ("rdate", "31.13.2031", NO_DATE),
        ("rdate", "2030-12-30", "This must not be before start_date."),
        ("rdate", "2031-02-30", "There is no such date in the calendar."),
        ("exdate", "2031-01-13\x00", NO_DATE),
        ("rdate", "x" * 65, "This must be a list of dates."),
        ("exdate", "2031-01-13\n" * 2001, "This must not have more than 2000 dates."),
        ("rdate", "1,\n" * 100_000, "This must not have more than 2000 dates."),
    ],
)
def test_a_bad_list_is_refused_beside_its_field(editor, make, scope, field, text, sentence):
    made = make()
    said = refused(editor, made[0], **{field: text}, scope=scope)

    assert said.keys() == {field}
    assert said[field].startswith(sentence)
    assert len(dates()) == 5


@pytest.mark.parametrize("scope", ["everything", "this following"])
def test_an_unknown_choice_changes_nothing(editor, make, scope):
    made = make()

    assert refused(editor, made[0], exdate="2031-01-13", scope=scope).keys() == {"scope"}
    assert len(dates()) == 5


def test_all_dates_but_one_may_be_left_out(editor, make):
    days = [f"{date(2031, 1, 6) + timedelta(n)}" for n in range(400)]
    made = make(rrule=f"FREQ=DAILY;COUNT={len(days)}")
    twice(editor, made[0], exdate="\n".join(days[1:]), scope="all")

    assert len(dates()) == 1


def test_a_series_is_not_left_without_a_date(editor, make):
    made = make(rrule="FREQ=DAILY;COUNT=2")
    said = refused(editor, made[0], exdate="2031-01-06\n2031-01-07", scope="all")

    assert said == {"exdate": "This leaves no date of the series."}


@pytest.mark.parametrize("field", ["rdate", "exdate"])
def test_single_dates_are_no_matter_of_this_date_alone(editor, make, field):
    made = make()

    assert refused(editor, made[0], **{field: "2031-01-20"}) == {field: OTHER_SCOPE}


# --- Who else was there -------------------------------------------------------------------


def test_a_date_left_out_meanwhile_stays_left_out(editor, make):
    made = make()
    sent = typed(form_of(editor, made[0]).context["adminform"].form)
    caller("editor").delete(f"/events/{made[2].pk}")
    page = url(Event, "change", made[0].pk)
    answer = editor.post(page, sent | {"exdate": "2031-01-13", "scope": "all"})

    assert "Somebody changed this record" in answer.content.decode()
    assert editor.post(page, sent | {"title": "Outside"}).status_code == 302
    assert dates() == ["01-06 18", "01-13 18", "01-27 18", "02-03 18"]
    assert Event.objects.get(pk=made[0].pk).title == "Outside"


def test_a_date_left_out_between_the_look_and_the_save_is_looked_at_again(editor, make):
    made = make()
    _, again = send(editor, made[0], title="Pilates", scope="all")
    caller("editor").delete(f"/events/{made[2].pk}")
    answer = editor.post(url(Event, "change", made[0].pk), again)

    assert "This changes 4 dates." in answer.content.decode()
    assert not Event.objects.filter(title="Pilates").exists()
