"""Every other way to write rows keeps what follows from them, or says what to call."""

import pytest
from django.core import serializers
from django.db import transaction

from calendar_events.models import Event, EventVenue, Term, Venue
from calendar_events.models.guard import WrittenPastTheStore, store_writes
from calendar_events.tests.factories import CategoryFactory, EventFactory, VenueFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def event():
    return EventFactory(
        title="As it was", venues=[VenueFactory()], terms=[CategoryFactory()]
    )


def refused(instead="Call save"):
    return pytest.raises(WrittenPastTheStore, match=instead)


@pytest.mark.parametrize("manager", ["objects", "_base_manager"])
@pytest.mark.parametrize("model", [Event, Venue, Term, EventVenue])
def test_writing_many_rows_at_once_is_refused(event, model, manager):
    rows = getattr(model, manager)

    with refused("Call "):
        rows.update(pk=1)
    with refused("Call "):
        rows.bulk_update(rows.all(), [a_column(model)])
    with refused("Call "):
        rows.bulk_create([model()])


def a_column(model):
    return next(field.name for field in model._meta.fields if not field.primary_key)


def test_a_row_of_a_link_is_not_written_alone(event):
    link = event.eventvenue_set.get()

    with refused(r"Call event\.save\(links="):
        link.save()
    with refused(r"Call event\.save\(links="):
        link.delete()
    with refused(r"Call event\.save\(links="):
        EventVenue.objects.all().delete()
    with refused(r"Call event\.save\(links="):
        EventVenue.objects.create(event=event, venue=VenueFactory())

    assert event.venues.count() == 1


def test_related_managers_do_not_write_links(event):
    venue, other = event.venues.get(), VenueFactory()

    for write in (
        lambda: event.venues.add(other),
        lambda: event.venues.set([other]),
        lambda: event.venues.set([]),
        lambda: event.venues.remove(venue),
        event.venues.clear,
        event.terms.clear,
        venue.events.clear,
        lambda: other.events.add(event),
    ):
        with refused(r"Call event\.save\(links="), transaction.atomic():
            write()

    assert list(event.venues.all()) == [venue]
    assert event.terms.count() == Event.history.count() == 1


def test_related_managers_do_not_write_children(event):
    child = EventFactory(post_parent=event)

    with refused():
        event.children.update(title="Child")
    with refused(), transaction.atomic():
        event.children.clear()
    with refused(), transaction.atomic():
        event.children.add(EventFactory())

    assert list(event.children.all()) == [child]


def test_a_fixture_is_stored_as_it_is_given_with_its_version_and_no_state(event):
    fixture = serializers.serialize(
        "json", [*Venue.objects.all(), event, *event.eventvenue_set.all()]
    ).replace("As it was", "As it is given")

    for row in serializers.deserialize("json", fixture):
        row.save()

    loaded = Event.objects.get()
    assert (loaded.title, loaded.version) == ("As it is given", event.version)
    assert "As it is given" in loaded.fragment
    assert Event.history.count() == 1


def test_deleting_a_queryset_deletes_each_record_as_its_own_delete_does(event, anonymous):
    count, by_model = Event.objects.all().delete()

    assert anonymous.get(f"/events/{event.pk}").status_code == 404
    assert (count, by_model["calendar_events.Event"]) == (3, 1)
    last = Event.history.first()
    assert (last.history_type, last.version) == ("-", 2)
    assert last.linked["venues"] == event.linked["venues"]


def test_a_queryset_of_parents_and_children_can_be_deleted():
    parent = CategoryFactory()
    CategoryFactory(parent=CategoryFactory(parent=parent))

    Term.objects.order_by("pk").delete()

    assert not Term.objects.exists()


def test_code_that_keeps_the_documents_true_may_write_and_the_guard_comes_back(event):
    with store_writes():
        Event.objects.update(title="Loaded")
    with refused():
        Event.objects.update(title="Again")

    assert Event.objects.get().title == "Loaded"
