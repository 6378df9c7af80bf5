"""What a write of a series costs: as many statements however many dates it has."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.models import Change, Event, Status
from calendar_events.tests.factories import CategoryFactory, TagFactory, VenueFactory
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FEW, MANY = 4, 49
BATCHES = 0.2
"""Statements for a date at most: SQLite takes 17 events with one."""


def weekly(editor, number, **changes):
    """Each has slugs of its own: for a date whose slug is taken the next is looked for."""
    rule = f"FREQ=WEEKLY;COUNT={number}"
    return editor.post("/events", yoga(title=f"Yoga {number}", rrule=rule, **changes))


def grown(few, many):
    """Return how many statements each further date cost."""
    return (len(many) - len(few)) / (MANY - FEW)


def cost_of(write):
    """Return how many statements of a write each further date of its series costs."""
    counted = []
    for number in (FEW, MANY):
        with CaptureQueriesContext(connection) as queries:
            response = write(number)
        assert response.status_code in {200, 201}, response.content
        counted.append(queries)
    return grown(*counted)


def test_creating_costs_the_same_however_many_dates_there_are(editor):
    linked = {"venue": VenueFactory().pk, "tags": [TagFactory().pk]}

    assert cost_of(lambda number: weekly(editor, number, **linked)) <= BATCHES


@pytest.mark.parametrize("scope", ["all", "following"])
@pytest.mark.parametrize(
    "names",
    [
        ("title",),
        ("start_date", "end_date"),
        ("venue", "categories", "status"),
        ("rrule",),
    ],
    ids=" ".join,
)
def test_changing_costs_the_same_however_many_dates_there_are(editor, scope, names):
    values = {
        "start_date": "2031-01-13 19:00:00",
        "end_date": "2031-01-13 20:00:00",
        "venue": {"venue": "New hall"},
        "categories": [CategoryFactory().pk, "New words"],
        "status": "private",
        "rrule": "FREQ=WEEKLY;INTERVAL=2;COUNT=30",
    }
    body = {name: values.get(name) for name in names}

    counted = []
    for number in (FEW, MANY):
        first = weekly(editor, number, tags=[TagFactory().pk]).json()
        _, second, *_ = dates_of(editor, first["recurrence"]["series"])
        if "title" in body:
            body["title"] = f"Pilates {number}"
        if "rrule" in body:
            body["rrule"] = f"FREQ=WEEKLY;INTERVAL=2;COUNT={number}"
        with CaptureQueriesContext(connection) as queries:
            answer = editor.patch(f"/events/{second['id']}?scope={scope}", body)
        assert answer.status_code == 200, answer.content
        counted.append(queries)
    # Of another rule, half of the dates go and as many are new.
    assert grown(*counted) <= BATCHES * (3 if "rrule" in body else 1)


@pytest.mark.parametrize("scope", ["all", "following"])
@pytest.mark.parametrize("how", ["", "&force=true"])
def test_deleting_costs_the_same_however_many_dates_there_are(editor, scope, how):
    counted = []
    for number in (FEW, MANY):
        first = weekly(editor, number, venue=VenueFactory().pk).json()
        _, second, *_ = dates_of(editor, first["recurrence"]["series"])
        with CaptureQueriesContext(connection) as queries:
            answer = editor.delete(f"/events/{second['id']}?scope={scope}{how}")
        assert answer.status_code == 200, answer.content
        counted.append(queries)
    assert grown(*counted) <= BATCHES


@pytest.mark.parametrize("how", ["", "&force=true"])
def test_each_date_that_is_deleted_is_told_of_and_has_its_history(editor, how):
    venue = VenueFactory()
    first = weekly(editor, FEW, venue=venue.pk).json()
    made = [one["id"] for one in dates_of(editor, first["recurrence"]["series"])]
    told = Change.objects.count()

    editor.delete(f"/events/{made[1]}?scope=following{how}")

    log = list(Change.objects.order_by("id")[told:].values_list("record", "deleted"))
    assert log == [(made[0], False), *((pk, bool(how)) for pk in made[1:])]
    for pk in made[1:]:
        state = Event.history.filter(id=pk).latest()
        assert state.history_type == ("-" if how else "~")
        assert state.history_user_id == editor.user.pk
        assert state.linked["venues"] == [venue.pk]
        assert Event.objects.filter(pk=pk, status=Status.TRASH).exists() == (not how)
    assert venue.events.count() == (1 if how else FEW)


def test_a_date_in_the_trash_leaves_its_slug_to_others(editor):
    first = weekly(editor, FEW).json()
    made = [one["id"] for one in dates_of(editor, first["recurrence"]["series"])]
    editor.patch(f"/events/{made[2]}", {"slug": f"{first['slug']}__trashed"})

    editor.delete(f"/events/{made[0]}?scope=all")

    slugs = dict(Event.objects.values_list("pk", "slug"))
    assert slugs[made[0]] == f"{first['slug']}__trashed-2"
    assert slugs[made[2]] == f"{first['slug']}__trashed"
    assert slugs[made[3]] == "yoga-4-2031-01-27__trashed"


def test_what_names_a_deleted_date_as_its_parent_loses_it(editor):
    first = weekly(editor, FEW).json()
    made = [one["id"] for one in dates_of(editor, first["recurrence"]["series"])]
    Event.objects.get(pk=made[3]).delete()
    child = Event.objects.get(pk=weekly(editor, 1).json()["id"])
    child.post_parent_id = made[0]
    child.save()
    of_its_own = Event.objects.get(pk=made[2])
    of_its_own.post_parent_id = made[0]
    of_its_own.save()

    response = editor.delete(f"/events/{made[0]}?scope=all&force=true")

    assert response.status_code == 200
    child.refresh_from_db()
    assert (child.post_parent_id, child.version) == (None, 3)
    assert list(Event.objects.values_list("pk", flat=True)) == [child.pk]


READS = (
    "/events?{all}&expand=false",
    "/events?{all}&expand=false&per_page=50",
    "/events?{all}&expand=false&search=yoga",
    "/events?{all}&expand=false&venue={venue}&event_status=scheduled",
    "/events?{all}&expand=false&tags=fun&orderby=title",
    "/events?{all}&series={series}",
    "/events.ics?{all}&expand=false",
    "/events.ics?{all}&expand=false&search=yoga",
    "/events.ics?{all}",
    "/series/{series}",
    "/series/{series}?per_page=50",
    "/series/{series}.ics",
)


def test_reading_costs_the_same_however_many_series_and_dates_there_are(editor, anonymous):
    venue, tag = VenueFactory(), TagFactory(slug="fun")
    counted = []
    for number in (2, 3, 9):
        answers = [
            weekly(editor, number + more, venue=venue.pk, tags=[tag.pk]).json()
            for more in range(number)
        ]
        for one in answers:  # each series has a date that differs
            _, second, *_ = dates_of(editor, one["recurrence"]["series"])
            editor.patch(f"/events/{second['id']}", {"title": "Yoga outside"})
        series = answers[0]["recurrence"]["series"]
        names = {"all": "starts_after=2000-01-01", "venue": venue.pk, "series": series}
        counts = {}
        for address in READS:
            with CaptureQueriesContext(connection) as queries:
                body = b"".join(anonymous.get(address.format(**names)))
            assert b"Yoga" in body
            counts[address] = len(queries)
        counted.append(counts)
    assert counted[0] == counted[1] == counted[2]
