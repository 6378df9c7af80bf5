"""Django admin as an editor's desk: many records at once, deleted ones, pickers."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calendar_events.admin import institutions
from calendar_events.admin.events import EventAdmin
from calendar_events.models import Event, Organizer, Status, Venue
from calendar_events.store.saving import VersionConflict
from calendar_events.tests.factories import (
    EventFactory,
    OrganizerFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FACTORIES = {Event: EventFactory, Venue: VenueFactory, Organizer: OrganizerFactory}


def desk_of(**fields):
    user = UserFactory(is_staff=True, **fields)
    client = Client()
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture
def desk():
    return desk_of(is_superuser=True)


def url(model, page, *args):
    return reverse(f"admin:calendar_events_{model._meta.model_name}_{page}", args=args)


def act(client, action, *records):
    """Do something to records from their list; return what is said."""
    response = client.post(
        url(type(records[0]), "changelist"),
        {"action": action, "_selected_action": [record.pk for record in records]},
        follow=True,
    )
    assert response.status_code == 200
    return [str(message) for message in response.context["messages"]]


def statuses(*records):
    return [type(record).objects.get(pk=record.pk).status for record in records]


@pytest.mark.parametrize("model", FACTORIES)
def test_drafts_are_published_together(desk, model):
    build = FACTORIES[model]
    waiting = [build(status="draft"), build(status="pending")]
    others = [build(status="private"), build(status="publish")]

    said = act(desk, "publish", *waiting, *others)

    assert said == ["Published: 2."]
    assert statuses(*waiting, *others) == ["publish", "publish", "private", "publish"]


@pytest.mark.parametrize("model", FACTORIES)
def test_records_are_returned_to_draft_and_trashed_and_restored_together(desk, model):
    records = [FACTORIES[model](status="publish"), FACTORIES[model](status="pending")]

    act(desk, "move_to_trash", *records)
    assert statuses(*records) == ["trash", "trash"]
    said = act(desk, "restore", *records)
    assert (said, statuses(*records)) == (["Restored: 2."], ["publish", "pending"])
    act(desk, "return_to_draft", *records)

    assert statuses(*records) == ["draft", "draft"]


def test_events_are_featured_together(desk):
    records = EventFactory.create_batch(2)

    said = [act(desk, "feature", *records), act(desk, "feature", *records)]
    featured = Event.objects.filter(featured=True).count()
    act(desk, "stop_featuring", *records)

    assert said == [["Featured: 2."], ["Featured: 0."]]
    assert (featured, Event.objects.filter(featured=True).count()) == (2, 0)


def test_what_is_done_together_is_in_the_history_with_who_did_it(desk):
    record = EventFactory(status="draft")

    act(desk, "publish", record)

    state = record.history.latest()
    assert (state.history_user, state.history_change_reason) == (desk.user, "admin")


def test_who_may_not_change_some_of_them_is_told_how_many(db):
    author = desk_of(roles=["author"])
    own = EventFactory(author=author.user, status="draft")
    others = EventFactory.create_batch(2, status="draft")

    said = act(author, "publish", own, *others)

    assert said == [
        "Published: 1.",
        "Not changed, because you may not change them or somebody else just did: 2.",
    ]
    assert statuses(own, *others) == ["publish", "draft", "draft"]


@pytest.mark.parametrize("deleted", [False, True])
def test_what_somebody_else_changes_meanwhile_is_left(desk, monkeypatch, deleted):
    record = EventFactory(status="draft")
    update = EventAdmin.update

    def be_slower(self, *, record, actor, changes, now):
        if deleted:
            desk_of(is_superuser=True).post(
                url(Event, "delete", record.pk), {"post": "yes"}
            )
        else:
            update(self, record=record, actor=actor, changes={"featured": True}, now=now)
        return update(self, record=record, actor=actor, changes=changes, now=now)

    monkeypatch.setattr(EventAdmin, "update", be_slower)
    said = act(desk, "publish", record)

    assert len(said) == 1
    assert said[0].endswith("somebody else just did: 1.")
    assert not Event.objects.filter(status="publish").exists()


def test_publication_is_offered_to_those_who_may_publish(db):
    def offered(role):
        response = desk_of(roles=[role]).get(url(Event, "changelist"))
        form = response.context["action_form"]
        return {name for name, _ in form.fields["action"].choices} if form else set()

    EventFactory()

    assert "publish" in offered("author")
    assert "publish" not in offered("contributor")
    assert not offered("reader") & {"publish", "return_to_draft", "move_to_trash"}


@pytest.mark.parametrize("role", ["contributor", "reader"])
def test_an_action_that_is_not_offered_does_nothing(role):
    someone = desk_of(roles=[role])
    record = EventFactory(author=someone.user, status="draft")

    act(someone, "publish", record)

    assert statuses(record) == ["draft"]


# --- What was deleted ---------------------------------------------------------------------


@pytest.mark.parametrize("model", FACTORIES)
@pytest.mark.django_db(transaction=True)
def test_deleted_records_are_listed_and_restored(desk, model):
    record = FACTORIES[model]()
    name = getattr(record, "title", None) or record.name
    desk.post(url(model, "delete", record.pk), {"post": "yes"})
    assert not model.objects.exists()

    page = desk.get(url(model, "changelist"))
    assert url(model, "deleted") in page.content.decode()
    listed = desk.get(url(model, "deleted")).content.decode()
    assert name in listed
    assert url(model, "history", record.pk) in listed
    assert str(desk.user) in listed
    state = record.history.exclude(history_type="-").latest()
    version = url(model, "simple_history", record.pk, state.history_id)
    form = desk.get(version).context["adminform"].form
    sent = {name: form[name].value() for name in form.fields if form[name].value()}
    answer = desk.post(version, sent | {"at_venues": [], "by_organizers": []})

    assert answer.status_code == 302
    restored = model.objects.get()
    assert restored.pk != record.pk
    assert f"as number {restored.pk}" in desk.get(url(model, "deleted")).content.decode()

    again = desk.post(version, sent | {"at_venues": [], "by_organizers": []})

    said = f"This record has already been restored, as number {restored.pk}."
    assert said in again.content.decode()
    assert model.objects.get() == restored
    deletion = record.history.filter(history_type="-").latest()
    assert deletion.history_change_reason == f"admin; restored as {restored.pk}"


@pytest.mark.django_db(transaction=True)
def test_what_was_restored_and_deleted_again_can_be_restored_again(desk):
    event = EventFactory(title="Twice gone")
    state = event.history.latest()
    version = url(Event, "simple_history", event.pk, state.history_id)
    for _ in range(2):
        for each in Event.objects.all():
            desk.post(url(Event, "delete", each.pk), {"post": "yes"})
        form = desk.get(version).context["adminform"].form
        sent = {name: form[name].value() for name in form.fields if form[name].value()}
        assert desk.post(version, sent | {"at_venues": []}).status_code == 302

    assert Event.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_restore_that_fails_half_way_leaves_no_record(desk, monkeypatch):
    event = EventFactory(title="All or nothing")
    version = url(Event, "simple_history", event.pk, event.history.latest().history_id)
    desk.post(url(Event, "delete", event.pk), {"post": "yes"})
    form = desk.get(version).context["adminform"].form
    sent = {name: form[name].value() for name in form.fields if form[name].value()}

    def fail(*_):
        raise VersionConflict

    monkeypatch.setattr("calendar_events.services.desk.note_restored", fail)
    desk.post(version, sent | {"at_venues": []})

    assert not Event.objects.exists()


def test_a_record_that_is_there_is_not_among_the_deleted(desk):
    EventFactory(title="Still here")

    page = desk.get(url(Event, "deleted"))

    assert "Still here" not in page.content.decode()
    assert "None is deleted." in page.content.decode()


def test_the_deleted_are_shown_in_pages_at_the_same_price(desk, django_assert_num_queries):
    events = EventFactory.create_batch(52)
    for event in events:
        act(desk, "delete_selected", event)
        desk.post(url(Event, "delete", event.pk), {"post": "yes"})

    # session, user, permissions of nobody, how many, the page
    with django_assert_num_queries(4):
        first = desk.get(url(Event, "deleted"))
    last = desk.get(url(Event, "deleted"), {"page": "2"})

    assert len(first.context["page"].object_list) == 50
    assert len(last.context["page"].object_list) == 2
    assert desk.get(url(Event, "deleted"), {"page": "x"}).status_code == 200


def test_the_deleted_are_for_those_who_may_look(db):
    stranger = desk_of()

    assert stranger.get(url(Event, "deleted")).status_code == 403


# --- Filters and pickers ------------------------------------------------------------------


def test_the_filter_of_institutions_asks_no_event(desk):
    EventFactory(institution="1001")
    there = EventFactory(institution="1002")

    with CaptureQueriesContext(connection) as statements:
        page = desk.get(url(Event, "changelist"), {"institution": "1002"})

    assert list(page.context["cl"].result_list) == [there]
    assert not any("DISTINCT" in each["sql"] for each in statements)


@pytest.mark.parametrize("most", [0, 100])
def test_the_filter_works_where_institutions_are_too_many_to_offer(
    desk, monkeypatch, settings, most
):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "INSTITUTIONS": f"{__name__}.two_institutions",
    }
    monkeypatch.setattr(institutions.InstitutionFilter, "MOST", most)
    EventFactory(institution="1001")
    there = EventFactory(institution="1002")

    unfiltered = desk.get(url(Event, "changelist")).content.decode()
    filtered = desk.get(url(Event, "changelist"), {"institution": "1002"})

    assert ("Northgate" in unfiltered) is (most > 0)
    assert list(filtered.context["cl"].result_list) == [there]


def two_institutions():
    return {"1001": "Riverside", "1002": "Northgate"}


def test_dates_are_picked_and_zones_are_suggested(desk):
    page = desk.get(url(Event, "add")).content.decode()

    assert page.count('type="datetime-local"') == 4
    assert '<option value="Europe/Berlin">' in page


def test_a_picked_date_is_read_and_shown_again(desk):
    desk.post(
        url(Event, "add"),
        {
            "institution": "1001",
            "title": "Evening",
            "status": "publish",
            "start_date": "2031-01-15T19:00",
            "end_date": "2031-01-15T21:00:30",
            "timezone": "Europe/Berlin",
        },
    )

    event = Event.objects.get()
    page = desk.get(url(Event, "change", event.pk)).content.decode()
    assert (str(event.start_local), str(event.end_local)) == (
        "2031-01-15 19:00:00",
        "2031-01-15 21:00:30",
    )
    assert 'value="2031-01-15T19:00:00"' in page
    assert event.status == Status.PUBLISH
