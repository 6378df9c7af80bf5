"""Django's own ways to write a record are refused: the interface would not see them."""

import pytest
from django.core import serializers

from calendar_events.models import Event, EventVenue, Term, Venue
from calendar_events.models.guard import WrittenPastTheStore, store_writes
from calendar_events.tests.factories import CategoryFactory, EventFactory, VenueFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
INSTEAD = "written by calendar_events.services"


@pytest.fixture
def event():
    return EventFactory(
        title="As it was", venues=[VenueFactory()], terms=[CategoryFactory()]
    )


def refused():
    return pytest.raises(WrittenPastTheStore, match=INSTEAD)


def test_saving_an_event_is_refused_and_changes_nothing(event, anonymous):
    event.title = "Changed in the shell"

    with refused():
        event.save()
    with refused():
        event.save(update_fields=["title"])

    assert Event.objects.get().title == "As it was"
    assert anonymous.get(f"/events/{event.pk}").json()["title"] == "As it was"


@pytest.mark.parametrize("model", [Event, Venue, Term, EventVenue])
def test_updating_many_rows_is_refused(event, model):
    with refused():
        model.objects.update(pk=1)
    with refused():
        model.objects.bulk_update(model.objects.all(), [a_column(model)])
    with refused():
        model.objects.bulk_create([model()])
    with refused():
        model.objects.create()


def a_column(model):
    return next(field.name for field in model._meta.fields if not field.primary_key)


def test_adding_to_a_relation_is_refused(event):
    with refused():
        event.venues.add(VenueFactory(), through_defaults={"listed": True})
    with refused():
        event.children.update(title="Child")


def test_a_fixture_is_refused(event):
    fixture = serializers.serialize("json", Event.objects.all())

    with refused():
        for row in serializers.deserialize("json", fixture):
            row.save()


def test_deleting_is_not_refused(event, anonymous):
    Event.objects.all().delete()

    assert anonymous.get(f"/events/{event.pk}").status_code == 404


def test_code_that_keeps_the_documents_true_may_write_and_the_guard_comes_back(event):
    with store_writes():
        Event.objects.update(title="Loaded")
    with refused():
        Event.objects.update(title="Again")

    assert Event.objects.get().title == "Loaded"
